import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { couponHash } from '@tandem/contracts';

/**
 * 32 symbols: capital letters and digits without I, O, 0 and 1, which are easily confused. The lower five bits of a random byte select each
 * symbol with the same probability.
 */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;

/** Draws new codes of 80 random bits each. */
@Injectable()
export class CouponCodes {
  /** @returns codes in their stored form; duplicates are possible but very unlikely */
  draw(count: number): string[] {
    const bytes = randomBytes(count * LENGTH);
    return Array.from({ length: count }, (_, index) => {
      let code = '';
      for (let at = index * LENGTH; at < (index + 1) * LENGTH; at += 1) {
        code += ALPHABET.charAt((bytes[at] as number) & 31);
      }
      return code;
    });
  }
}

/** Converts a stored code to its display form: `XXXX-XXXX-XXXX-XXXX`. */
export const shownCode = (code: string): string =>
  `${code.slice(0, 4)}-${code.slice(4, 8)}-${code.slice(8, 12)}-${code.slice(12)}`;

/** Returns the keyed hash of a stored code, in 32 bytes. Payments identify their coupon by this hash. */
export const codeHash = (code: string, key: Buffer): Buffer => Buffer.from(couponHash(code, key), 'hex');
