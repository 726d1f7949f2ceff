import { Injectable } from '@nestjs/common';
import type { FieldCipher } from '@tandem/database';
import { IdpApiConfig } from '../config';
import type { Address, PersonalData } from './profile';

/** The columns of personal data. */
export const PERSONAL_COLUMNS = [
  'first_name',
  'last_name',
  'dob',
  'email_address',
  'address',
  'phone_number',
  'ssn',
] as const;
export type PersonalColumn = (typeof PERSONAL_COLUMNS)[number];

/** Personal data as it is stored, encrypted. Null means that the user has not given the value. */
export type StoredPersonalData = Record<PersonalColumn, string | null>;

/** Encrypts personal data. An encrypted value can be decrypted only for the user and the column for which it was encrypted. */
@Injectable()
export class ProfileCipher {
  private readonly cipher: FieldCipher;

  constructor(config: IdpApiConfig) {
    this.cipher = config.FIELD_ENCRYPTION_KEYS;
  }

  /** The id of the key with which new values are encrypted. Each encrypted value begins with the id of its key. */
  get keyId(): string {
    return this.cipher.keyId;
  }

  encrypt(krn: string, data: PersonalData): StoredPersonalData {
    return {
      first_name: this.seal(krn, 'first_name', data.firstName),
      last_name: this.seal(krn, 'last_name', data.lastName),
      dob: this.seal(krn, 'dob', data.dob),
      email_address: this.seal(krn, 'email_address', data.emailAddress),
      address: this.seal(krn, 'address', JSON.stringify(data.address)),
      phone_number: data.phoneNumber === null ? null : this.seal(krn, 'phone_number', data.phoneNumber),
      ssn: data.ssn === null ? null : this.seal(krn, 'ssn', data.ssn),
    };
  }

  /**
   * Decrypts the data of a user.
   * @throws FieldDecryptionError when a value was changed or was encrypted for another row or column, or its key is not configured
   */
  decrypt(krn: string, stored: StoredPersonalData): PersonalData {
    const open = (column: PersonalColumn): string => this.open(krn, column, stored[column] as string);
    return {
      firstName: open('first_name'),
      lastName: open('last_name'),
      dob: open('dob'),
      emailAddress: open('email_address'),
      address: JSON.parse(open('address')) as Address,
      phoneNumber: stored.phone_number === null ? null : open('phone_number'),
      ssn: stored.ssn === null ? null : open('ssn'),
    };
  }

  /** Re-encrypts a value with the first key. */
  renew(krn: string, column: PersonalColumn, value: string): string {
    return this.seal(krn, column, this.open(krn, column, value));
  }

  private seal(krn: string, column: PersonalColumn, plain: string): string {
    return this.cipher.encrypt(plain, `profile:${krn}:${column}`);
  }

  private open(krn: string, column: PersonalColumn, value: string): string {
    return this.cipher.decrypt(value, `profile:${krn}:${column}`);
  }
}
