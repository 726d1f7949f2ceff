import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { InvalidSecretError } from './auth.errors';

/** Matches the header, footer and line ends of a PEM: all characters that do not belong to the base64 of the key. */
const PEM_ARMOR = /-----[A-Z ]+-----|\s/g;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** One half of an app's Ed25519 key pair. Both halves have the same `id`, which is the `kid` of tokens that the private half signs. */
export interface ServiceKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Reads an Ed25519 private key (PKCS #8): a PEM, or the base64 inside a PEM. @throws InvalidSecretError for any other text */
export function parseServicePrivateKey(text: string): ServiceKey {
  const key = parseKey(text, (der) => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return { id: idOf(createPublicKey(key)), key };
}

/** The public keys of the callers that an app accepts. */
export class ServicePublicKeys {
  private readonly keys = new Map<string, ServiceKey[]>();

  /**
   * @param text comma-separated list of `<caller>:<key>`. A key is an Ed25519 public key (SubjectPublicKeyInfo): a PEM, or the base64
   *   inside a PEM. A caller has two entries while it rotates its key
   * @throws InvalidSecretError when an entry is malformed
   */
  constructor(text: string) {
    for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
      const [, caller, encoded] = /^\s*([a-z][a-z-]*):(.+)$/s.exec(entry) ?? [];
      if (caller === undefined || encoded === undefined) throw malformed();
      const key = parseKey(encoded, (der) => createPublicKey({ key: der, format: 'der', type: 'spki' }));
      this.keys.set(caller, [...(this.keys.get(caller) ?? []), { id: idOf(key), key }]);
    }
  }

  /** The callers that have a key. */
  get callers(): string[] {
    return [...this.keys.keys()];
  }

  find(caller: string, id: string): KeyObject | undefined {
    return this.keys.get(caller)?.find((key) => key.id === id)?.key;
  }
}

function parseKey(text: string, read: (der: Buffer) => KeyObject): KeyObject {
  const encoded = text.replace(PEM_ARMOR, '');
  if (!BASE64.test(encoded)) throw malformed();
  let key: KeyObject;
  try {
    key = read(Buffer.from(encoded, 'base64'));
  } catch {
    throw malformed();
  }
  if (key.asymmetricKeyType !== 'ed25519') throw malformed();
  return key;
}

/** The message contains no part of the text, because the text may be a private key. */
const malformed = () => new InvalidSecretError('The text is not an Ed25519 key');

const idOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url')
    .slice(0, 16);
