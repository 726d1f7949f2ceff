import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** 32 symbols, none of which looks like another: a byte's lower five bits choose one of them evenly. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 16;
const FORM = /^[A-HJ-NP-Z2-9]{16}$/i;

/** Draws new codes: 80 random bits each. */
@Injectable()
export class CouponCodes {
  /** @returns codes as they are stored; that two are equal is possible, and nothing to wait for */
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

/** A stored code as people see it: `XXXX-XXXX-XXXX-XXXX`. */
export const shownCode = (code: string): string =>
  `${code.slice(0, 4)}-${code.slice(4, 8)}-${code.slice(8, 12)}-${code.slice(12)}`;

/** A code that somebody typed, as it would be stored: hyphens and case say nothing. @returns null when it can be no code */
export function storedCode(typed: string): string | null {
  const code = typed.trim().replaceAll('-', '');
  // Looked at before its case is changed: the capitals of some foreign letters are ours.
  return FORM.test(code) ? code.toUpperCase() : null;
}
