import { type Caller, type DeliveryStatus } from '@tandem/internal-api';
import { SignedCursors } from '@tandem/http-api';

/** The list of the delivery log that a cursor belongs to. A cursor of one list is refused for any other list. */
export interface CursorList extends Caller {
  readonly status: DeliveryStatus | null;
  /** The sale whose deliveries the list contains; null for all sales. */
  readonly oid: string | null;
  /** The partner's reference whose deliveries the list contains; null for all references. */
  readonly refId: string | null;
  /** Whether the list contains only failing deliveries. */
  readonly failing: boolean;
}

/**
 * The position after which a page starts. Normally, it is the position of the previous page's last delivery. In the list of requests
 * (see {@link requestList}), it can also be a time: `since`, or the time up to which everything was read.
 */
export interface LogPosition {
  /** The time of the position, in microseconds since 1970. Postgres stores times with this precision. */
  readonly createdUs: string;
  readonly id: string;
}

const TIME_BYTES = 8;
const POSITION_BYTES = TIME_BYTES + 16;
const SIGNATURE_BYTES = 18;

/** Signs and verifies the cursors of lists of deliveries. A cursor contains the time and the id of a position. */
export class DeliveryCursors {
  private readonly cursors: SignedCursors;

  /** @param keys the first key signs cursors; a cursor is valid if any of the keys has signed it */
  constructor(keys: readonly Buffer[]) {
    this.cursors = new SignedCursors(keys, { positionBytes: POSITION_BYTES, signatureBytes: SIGNATURE_BYTES });
  }

  /** @param list identifies the list that the cursor belongs to */
  encode(list: readonly unknown[], { createdUs, id }: LogPosition): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeBigInt64BE(BigInt(createdUs));
    position.write(id.replaceAll('-', ''), TIME_BYTES, 'hex');
    return this.cursors.encode(list, position);
  }

  /** @throws InvalidCursorError */
  decode(list: readonly unknown[], cursor: string): LogPosition {
    const position = this.cursors.decode(list, cursor);
    const hex = position.toString('hex', TIME_BYTES);
    const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
    return { createdUs: position.readBigInt64BE().toString(), id };
  }
}

/** Returns the values that identify a list of the delivery log. */
export const logList = ({ partnerId, environment, status, oid, refId, failing }: CursorList): unknown[] => [
  'deliveries',
  partnerId,
  environment,
  status,
  // Older versions of the app had no `oid`, `refId` and `failing` filters. Leaving out filters that are not set keeps the cursors of those
  // versions valid.
  ...(oid === null && refId === null && !failing ? [] : [oid, refId]),
  ...(failing ? ['failing'] : []),
];

/** Returns the values that identify a partner's list of requests, which listeners read. */
export const requestList = ({ partnerId, environment }: Caller): unknown[] => ['requests', partnerId, environment];

/** Converts microseconds since 1970 to a timestamp that Postgres parses without losing precision. */
export function timestampOf(createdUs: string): string {
  const us = BigInt(createdUs);
  const seconds = new Date(Number(us / 1000n)).toISOString().slice(0, -1);
  return `${seconds}${(us % 1000n).toString().padStart(3, '0')}Z`;
}
