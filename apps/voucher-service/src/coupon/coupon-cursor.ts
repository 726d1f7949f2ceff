import { type Caller, type CouponStatus, InvalidCursorError, SignedCursors } from '@tandem/internal-api';

/** The list that a cursor belongs to; it is refused for any other. */
export interface CursorList extends Caller {
  groupId: string;
  status: CouponStatus | null;
}

const POSITION_BYTES = 8;
const SIGNATURE_BYTES = 16;
const MAX_POSITION = 2n ** 63n - 1n;

/** Cursors of a list of coupons: the `seq` of the last coupon of a page. */
export class CouponCursors {
  private readonly cursors: SignedCursors;

  /** @param keys the first signs, all verify */
  constructor(keys: readonly Buffer[]) {
    this.cursors = new SignedCursors(keys, { positionBytes: POSITION_BYTES, signatureBytes: SIGNATURE_BYTES });
  }

  /** @param seq of the last coupon of the page */
  encode(list: CursorList, seq: string): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeBigUInt64BE(BigInt(seq));
    return this.cursors.encode(boundTo(list), position);
  }

  /** @returns the `seq` that the page begins below @throws InvalidCursorError */
  decode(list: CursorList, cursor: string): string {
    const seq = this.cursors.decode(boundTo(list), cursor).readBigUInt64BE();
    if (seq > MAX_POSITION) throw new InvalidCursorError();
    return seq.toString();
  }
}

const boundTo = ({ partnerId, environment, groupId, status }: CursorList): unknown[] => [
  'coupons',
  partnerId,
  environment,
  groupId,
  status,
];
