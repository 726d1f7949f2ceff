import { FieldCipher } from '@tandem/database';
import { OwnSecret } from './own-secret';
import { nonEmptyListOf, type Parse, Parsed, type PropertyOf } from './parsed';

const MIN_KEY_BYTES = 32;
const MIN_SECRET_CHARACTERS = 32;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

function parseKey(text: string): Buffer {
  if (!BASE64.test(text)) throw new Error('not base64');
  const key = Buffer.from(text, 'base64');
  if (key.length < MIN_KEY_BYTES) throw new Error('too short');
  return key;
}

function parseSecret(text: string): string {
  if (text.length < MIN_SECRET_CHARACTERS) throw new Error('too short');
  return text;
}

/** A parsed setting that holds secrets, to which the rules of `OwnSecret` apply. The parameters are those of `Parsed`. */
export const ParsedSecret =
  <T extends object>(parse: Parse<T>, message: string): PropertyOf<T> =>
  (target, property) => {
    Parsed(parse, message)(target as { [P in typeof property]?: T }, property);
    OwnSecret()(target, property);
  };

/** A setting that holds one key: base64 of 32 bytes or more. The property is a Buffer. */
export const Base64Key = () => ParsedSecret(parseKey, `must be base64 of ${MIN_KEY_BYTES} bytes or more`);

/** A comma-separated list of keys, each base64 of 32 bytes or more: the first key signs, all keys verify. The property is a Buffer[]. */
export const Base64Keys = () =>
  ParsedSecret(
    (text) => nonEmptyListOf(text).map(parseKey),
    `must be a comma-separated list of base64 of ${MIN_KEY_BYTES} bytes or more`,
  );

/** A comma-separated list of secrets of 32 characters or more: the first secret signs, all secrets verify. The property is a string[]. */
export const SecretList = () =>
  ParsedSecret(
    (text) => nonEmptyListOf(text).map(parseSecret),
    `must be a comma-separated list of secrets of ${MIN_SECRET_CHARACTERS} characters or more`,
  );

/** `k2:<base64 of 32 bytes>,k1:…`: the first key encrypts, all keys decrypt. The property is a FieldCipher. */
export const FieldEncryptionKeys = () =>
  ParsedSecret((text) => new FieldCipher(text), 'must be a comma-separated list of <id>:<base64 of 32 bytes>');
