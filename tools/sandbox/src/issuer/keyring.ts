import { exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose';
import { randomUUID } from 'node:crypto';
import { readIfPresent, writePrivately } from '../private-file';

export const FAMILIES = ['service', 'openid'] as const;
/** The two families of access tokens that the apps trust: `service` tokens and `openid` tokens. Each family has its own issuer. */
export type Family = (typeof FAMILIES)[number];

/** The issuers use different algorithms, as issuers of two companies would. */
const ALGORITHMS: Record<Family, string> = { service: 'ES256', openid: 'RS256' };
/** The number of published keys for each issuer: the current key and the four before it, so that tokens stay valid after a rotation. */
const KEPT_KEYS = 5;

type StoredKeys = Record<Family, JWK[]>;

/** The issuers' signing keys, newest first. They are stored in a file, so that tokens stay valid after a restart. */
export class Keyring {
  readonly #file: string;
  readonly #keys: StoredKeys;

  private constructor(file: string, keys: StoredKeys) {
    this.#file = file;
    this.#keys = keys;
  }

  /** Opens the key file, or creates one with a new key for each family. */
  static async open(file: string): Promise<Keyring> {
    const stored = readIfPresent<StoredKeys>(file);
    if (stored) return new Keyring(file, stored);
    const ring = new Keyring(file, { service: [await newKey('service')], openid: [await newKey('openid')] });
    ring.#save();
    return ring;
  }

  /** Returns the current signing key. */
  async signingKey(family: Family): Promise<{ kid: string; alg: string; key: CryptoKey }> {
    const jwk = this.#keys[family][0];
    if (!jwk?.kid || !jwk.alg) throw new Error(`${this.#file} holds no key for the ${family} issuer`);
    return { kid: jwk.kid, alg: jwk.alg, key: (await importJWK(jwk, jwk.alg)) as CryptoKey };
  }

  /** Returns all keys with their private parts, newest first, for the OpenID Connect library, which signs tokens itself. */
  signingKeys(family: Family): readonly JWK[] {
    return this.#keys[family];
  }

  /** Returns the public parts as a JSON Web Key Set. */
  publicKeys(family: Family): { keys: JWK[] } {
    const publicMembers = ['kty', 'kid', 'alg', 'use', 'crv', 'x', 'y', 'n', 'e'] as const;
    return {
      keys: this.#keys[family].map(
        (jwk) =>
          Object.fromEntries(publicMembers.filter((name) => name in jwk).map((name) => [name, jwk[name]])) as JWK,
      ),
    };
  }

  /** Creates a new signing key, which is used from now on. @returns its id */
  async rotate(family: Family): Promise<string> {
    const key = await newKey(family);
    this.#keys[family] = [key, ...this.#keys[family]].slice(0, KEPT_KEYS);
    this.#save();
    return key.kid;
  }

  #save(): void {
    writePrivately(this.#file, this.#keys);
  }
}

async function newKey(family: Family): Promise<JWK & { kid: string }> {
  const alg = ALGORITHMS[family];
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), alg, use: 'sig' };
}
