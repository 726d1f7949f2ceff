import { randomBytes } from 'node:crypto';
import { FieldCipher, FieldDecryptionError } from './field-cipher';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

describe('FieldCipher', () => {
  const k1 = key('k1');
  const k2 = key('k2');

  it('decrypts every text that it encrypted', () => {
    const cipher = new FieldCipher(k1);
    for (const text of ['', 'secret', 'påssword:ключ 🔑', 'x'.repeat(100_000)]) {
      expect(cipher.decrypt(cipher.encrypt(text, 'row:1'), 'row:1')).toBe(text);
    }
  });

  it('encrypts equal texts to different values', () => {
    const cipher = new FieldCipher(k1);
    expect(cipher.encrypt('same', 'row:1')).not.toBe(cipher.encrypt('same', 'row:1'));
  });

  it('refuses a value that was moved to another row', () => {
    const cipher = new FieldCipher(k1);
    expect(() => cipher.decrypt(cipher.encrypt('secret', 'row:1'), 'row:2')).toThrow(FieldDecryptionError);
  });

  it('refuses a value with one changed byte, and a truncated value', () => {
    const cipher = new FieldCipher(k1);
    const value = cipher.encrypt('secret', 'row:1');
    const bytes = Buffer.from(value.slice(3), 'base64url');
    bytes[14] = (bytes[14] as number) ^ 1;
    expect(() => cipher.decrypt(`k1.${bytes.toString('base64url')}`, 'row:1')).toThrow(FieldDecryptionError);
    expect(() => cipher.decrypt(value.slice(0, 12), 'row:1')).toThrow(FieldDecryptionError);
  });

  it('decrypts values of an older key, and encrypts with the first key', () => {
    const old = new FieldCipher(k1).encrypt('secret', 'row:1');
    const rotated = new FieldCipher(`${k2},${k1}`);
    expect(rotated.decrypt(old, 'row:1')).toBe('secret');
    expect(rotated.encrypt('secret', 'row:1')).toMatch(/^k2\./);
  });

  it('refuses a value of an unknown key', () => {
    expect(() => new FieldCipher(k2).decrypt(new FieldCipher(k1).encrypt('x', 'row'), 'row')).toThrow(
      FieldDecryptionError,
    );
  });

  it.each([
    ['no key', ''],
    ['a short key', `k1:${randomBytes(16).toString('base64')}`],
    ['a repeated id', `${k1},${k1}`],
    ['no id', randomBytes(32).toString('base64')],
  ])('refuses a key list with %s', (_, keys) => {
    expect(() => new FieldCipher(keys)).toThrow(Error);
  });
});
