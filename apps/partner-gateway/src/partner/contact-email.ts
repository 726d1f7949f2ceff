import { FieldCipher } from '@tandem/database';
import { emailHash } from '@tandem/contracts';

/**
 * Converts a partner's contact address to its stored form and back. The stored form consists of the encrypted address, which is bound to
 * the partner's row, and a hash of the address. The fraud rules compare this hash with the hashes of buyers' addresses.
 */
export class ContactEmails {
  private readonly cipher: FieldCipher;
  private readonly hashKey: Buffer;

  constructor(config: { FIELD_ENCRYPTION_KEYS: FieldCipher; EMAIL_HASH_KEY: Buffer }) {
    this.cipher = config.FIELD_ENCRYPTION_KEYS;
    this.hashKey = config.EMAIL_HASH_KEY;
  }

  /** Returns the two columns for an address; both are null if there is no address. */
  columnsOf(partnerId: string, email: string | null) {
    if (email === null) return { contactEmailEncrypted: null, contactEmailHash: null };
    return {
      contactEmailEncrypted: this.cipher.encrypt(email, bindingOf(partnerId)),
      contactEmailHash: emailHash(email, this.hashKey),
    };
  }

  read(partner: { id: string; contactEmailEncrypted: string | null }): string | null {
    const { id, contactEmailEncrypted: value } = partner;
    return value === null ? null : this.cipher.decrypt(value, bindingOf(id));
  }
}

const bindingOf = (partnerId: string): string => `partner:${partnerId}:contact_email`;
