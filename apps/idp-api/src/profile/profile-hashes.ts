import { Injectable } from '@nestjs/common';
import { emailHash } from '@tandem/contracts';
import { createHmac } from 'node:crypto';
import { IdpApiConfig } from '../config';
import type { PersonalData } from './profile';

/** The columns by which a profile is found. */
export const HASH_COLUMNS = ['email_hash', 'phone_hash'] as const;
export type HashColumn = (typeof HASH_COLUMNS)[number];

/** Null where there is no value, or none was hashed yet: a profile from before the columns. */
export type StoredHashes = Record<HashColumn, string | null>;

/** Digits alone, and of a North American number without its country code: one number has one form. */
function comparablePhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
}

/** Keyed hashes (HMAC-SHA-256, hex) of what a person knows of itself: equal values can be found, and no value can be read from one. */
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

  /** The same for all spellings that reach one mailbox. */
  ofEmail(email: string): string {
    return emailHash(email, this.key);
  }

  /** The same with and without separators, and with and without the country code 1. */
  ofPhone(phone: string): string {
    return createHmac('sha256', this.key).update(comparablePhone(phone)).digest('hex');
  }
}
