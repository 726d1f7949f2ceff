import { type Caller, type CouponStatus } from '@tandem/internal-api';
import { SequenceCursors } from '@tandem/http-api';

/** The list that a cursor belongs to. A cursor of one list is refused for any other list. */
export interface CursorList extends Caller {
  groupId: string;
  status: CouponStatus | null;
}

/** Signs and verifies the cursors of lists of coupons. A cursor contains the `seq` of the last coupon on a page. */
export class CouponCursors {
  private readonly cursors: SequenceCursors;

  /** @param keys the first key signs cursors, and every key can verify them */
  constructor(keys: readonly Buffer[]) {
    this.cursors = new SequenceCursors(keys);
  }

  /** @param seq the `seq` of the last coupon on the page */
  encode(list: CursorList, seq: string): string {
    return this.cursors.encode(boundTo(list), seq);
  }

  /** @returns the `seq` of the last coupon on the previous page @throws InvalidCursorError */
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
