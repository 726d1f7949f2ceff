import { Injectable } from '@nestjs/common';
import { emailHash } from '@tandem/contracts';
import { createHmac } from 'node:crypto';
import { IdpApiConfig } from '../config';
import type { PersonalData } from './profile';

/** The columns by which support finds profiles. */
export const HASH_COLUMNS = ['email_hash', 'phone_hash'] as const;
export type HashColumn = (typeof HASH_COLUMNS)[number];

/**
 * The hashes of a profile. A hash is null if its value is null. In a profile that only older releases of the app have written, all hashes
 * are null until `rotate-keys.js` runs, because these releases write no hashes.
 */
export type StoredHashes = Record<HashColumn, string | null>;

/** Returns the digits of a phone number, without the country code of North American numbers. All usual spellings give the same digits. */
function comparablePhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
}

/**
 * Creates keyed hashes (HMAC-SHA-256, hex) of data that users know about themselves. Equal values have equal hashes, but a hash does not
 * reveal its value.
 */
@Injectable()
export class ProfileHashes {
  private readonly key: Buffer;

  constructor(config: IdpApiConfig) {
    this.key = config.PROFILE_HASH_KEY;
  }

  of({ emailAddress, phoneNumber }: Pick<PersonalData, 'emailAddress' | 'phoneNumber'>): StoredHashes {
    return {
      email_hash: this.ofEmail(emailAddress),
      phone_hash: phoneNumber === null ? null : this.ofPhone(phoneNumber),
    };
  }

  /** Returns the hash of an e-mail address. The usual spellings of one mailbox have the same hash. */
  ofEmail(email: string): string {
    return emailHash(email, this.key);
  }

  /** Returns the hash of a phone number. Separators and the country code 1 do not change the hash. */
  ofPhone(phone: string): string {
    return createHmac('sha256', this.key).update(comparablePhone(phone)).digest('hex');
  }
}
