import { type Caller, type CouponStatus } from '@tandem/internal-api';
import { SequenceCursors } from '@tandem/http-api';

/** The list that a cursor belongs to. The cursor is refused for any other list. */
export interface CursorList extends Caller {
  groupId: string;
  status: CouponStatus | null;
}

/** Signs and reads cursors of a list of coupons: the `seq` of the last coupon on a page. */
export class CouponCursors {
  private readonly cursors: SequenceCursors;

  /** @param keys the first key signs, all keys verify */
  constructor(keys: readonly Buffer[]) {
    this.cursors = new SequenceCursors(keys);
  }

  /** @param seq of the page's last coupon */
  encode(list: CursorList, seq: string): string {
    return this.cursors.encode(boundTo(list), seq);
  }

  /** @returns the `seq` that the page begins below @throws InvalidCursorError */
  decode(list: CursorList, cursor: string): string {
    return this.cursors.decode(boundTo(list), cursor);
  }
}

const boundTo = ({ partnerId, environment, groupId, status }: CursorList): unknown[] => [
  'coupons',
  partnerId,
  environment,
  groupId,
  status,
];
