import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A stored value could not be decrypted: its key is unknown, it belongs to another row, or its bytes were changed. */
export class FieldDecryptionError extends Error {
  readonly code = 'field_decryption_failed';
}

/**
 * Encrypts single fields at rest with AES-256-GCM (NIST SP 800-38D) and a random 96-bit nonce per value. The value
 * contains the key's id. The row's identity is authenticated as additional data, so that a value copied to another row
 * cannot be decrypted.
 *
 * Form of a value: `<key id>.<base64url of nonce + ciphertext + tag>`.
 */
export class FieldCipher {
  private readonly keys = new Map<string, Buffer>();
  /** The id of the current key, which encrypts. A value begins with the id of its key and a dot. */
  readonly keyId: string;

  /**
   * @param keys `k2:<base64 of 32 bytes>,k1:…`: the first key encrypts, and every key can decrypt
   * @throws Error when there is no key, when an entry does not have this form, when an id repeats, or when a key is not
   *   32 bytes long
   */
  constructor(keys: string) {
    for (const entry of keys.split(',').map((part) => part.trim())) {
      const [, id, encoded] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? [];
      if (!id || !encoded) throw new Error('encryption keys are a comma-separated list of <id>:<base64 of 32 bytes>');
      const key = Buffer.from(encoded, 'base64');
      if (key.length !== 32) throw new Error(`encryption key ${id} has ${key.length} bytes, not 32`);
      if (this.keys.has(id)) throw new Error(`encryption key id ${id} is given twice`);
      this.keys.set(id, key);
    }
    this.keyId = this.keys.keys().next().value as string;
  }

  /**
   * Encrypts a text with the current key.
   * @param rowBinding the row's identity, for example `endpoint:<id>:key`; `decrypt` needs the same text
   */
  encrypt(plain: string, rowBinding: string): string {
    const nonce = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys.get(this.keyId) as Buffer, nonce);
    cipher.setAAD(Buffer.from(rowBinding, 'utf8'));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${this.keyId}.${sealed.toString('base64url')}`;
  }

  /** @throws FieldDecryptionError */
  decrypt(value: string, rowBinding: string): string {
    const dot = value.indexOf('.');
    const key = this.keys.get(value.slice(0, dot));
    if (dot < 1 || !key) throw new FieldDecryptionError('no key of this id is configured');
    const sealed = Buffer.from(value.slice(dot + 1), 'base64url');
    if (sealed.length < IV_BYTES + TAG_BYTES) throw new FieldDecryptionError('the stored value is too short');
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
    decipher.setAAD(Buffer.from(rowBinding, 'utf8'));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      return decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new FieldDecryptionError('the stored value does not belong to this row, or was changed');
    }
  }
}
