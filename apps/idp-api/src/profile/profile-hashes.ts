import { Injectable } from '@nestjs/common';
import { emailHash } from '@tandem/contracts';
import { createHmac } from 'node:crypto';
import { IdpApiConfig } from '../config';
import type { PersonalData } from './profile';

/** The columns by which profiles are found. */
export const HASH_COLUMNS = ['email_hash', 'phone_hash'] as const;
export type HashColumn = (typeof HASH_COLUMNS)[number];

/** A hash is null if its value is null, or if the profile was stored without hashes and the value has not been hashed yet. */
export type StoredHashes = Record<HashColumn, string | null>;

/** Reduces all spellings of a phone number to the same form: its digits, without the country code of North American numbers. */
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

  /** Returns the same hash for all spellings that reach one mailbox. */
  ofEmail(email: string): string {
    return emailHash(email, this.key);
  }

  /** Returns the same hash with and without separators, and with and without the country code 1. */
  ofPhone(phone: string): string {
    return createHmac('sha256', this.key).update(comparablePhone(phone)).digest('hex');
  }
}
