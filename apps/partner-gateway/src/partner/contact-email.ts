import { FieldCipher } from '@tandem/database';
import { emailHash } from '@tandem/contracts';

/** The stored form of a partner's contact address: encrypted and bound to its row, with a hash that is compared with buyers' hashes. */
export class ContactEmails {
  private readonly cipher: FieldCipher;
  private readonly hashKey: Buffer;

  constructor(config: { FIELD_ENCRYPTION_KEYS: FieldCipher; EMAIL_HASH_KEY: Buffer }) {
    this.cipher = config.FIELD_ENCRYPTION_KEYS;
    this.hashKey = config.EMAIL_HASH_KEY;
  }

  /** Returns the two columns for an address; both are null without one. */
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
