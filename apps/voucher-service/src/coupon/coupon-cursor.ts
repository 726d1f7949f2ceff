import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CouponStatus } from '@tandem/contracts';
import type { Caller } from '../internal/caller.decorator';
import { InvalidCursorError } from './coupon.errors';

/** The list that a cursor belongs to: it is good for no other. */
export interface CursorList extends Caller {
  groupId: string;
  status: CouponStatus | null;
}

const POSITION_BYTES = 8;
const SIGNATURE_BYTES = 16;
const FORM = /^[A-Za-z0-9_-]{32}$/;
const MAX_POSITION = 2n ** 63n - 1n;

/**
 * Makes and reads cursors: the position and an HMAC-SHA-256 (its first 128 bits) over it and the list, base64url. They hold for
 * ever, on every replica, as long as the key is configured.
 */
export class CouponCursors {
  /** @param keys the first signs, all verify */
  constructor(private readonly keys: readonly Buffer[]) {
    if (keys.length === 0 || keys.some((key) => key.length < 32)) {
      throw new Error('cursors need a signing key of 32 bytes or more');
    }
  }

  /** @param seq of the last coupon of the page */
  encode(list: CursorList, seq: string): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeBigUInt64BE(BigInt(seq));
    return Buffer.concat([position, signatureOf(this.keys[0] as Buffer, list, position)]).toString('base64url');
  }

  /** @returns the `seq` that the page begins below @throws InvalidCursorError */
  decode(list: CursorList, cursor: string): string {
    if (!FORM.test(cursor)) throw new InvalidCursorError();
    const bytes = Buffer.from(cursor, 'base64url');
    const position = bytes.subarray(0, POSITION_BYTES);
    const signature = bytes.subarray(POSITION_BYTES);
    if (!this.keys.some((key) => timingSafeEqual(signature, signatureOf(key, list, position)))) {
      throw new InvalidCursorError();
    }
    const seq = position.readBigUInt64BE();
    if (seq > MAX_POSITION) throw new InvalidCursorError();
    return seq.toString();
  }
}

function signatureOf(key: Buffer, list: CursorList, position: Buffer): Buffer {
  const bound = JSON.stringify(['coupons', list.partnerId, list.environment, list.groupId, list.status]);
  return createHmac('sha256', key).update(position).update(bound, 'utf8').digest().subarray(0, SIGNATURE_BYTES);
}
