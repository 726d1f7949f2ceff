import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DeliveryStatus } from '@tandem/contracts';
import type { Caller } from './caller.decorator';
import { InvalidCursorError } from './delivery-log.errors';

/** The list that a cursor belongs to: it is good for no other. */
export interface CursorList extends Caller {
  readonly status: DeliveryStatus | null;
  /** Null: of every sale. */
  readonly oid: string | null;
  /** Null: of every reference. */
  readonly refId: string | null;
}

/** The last delivery of a page: the next page begins behind it. */
export interface LogPosition {
  /** When it was created, in microseconds since 1970: as exactly as Postgres keeps it. */
  readonly createdUs: string;
  readonly id: string;
}

const TIME_BYTES = 8;
const POSITION_BYTES = TIME_BYTES + 16;
// 42 bytes in all: without spare bits in base64, so that no second text means the same.
const SIGNATURE_BYTES = 18;
const FORM = /^[A-Za-z0-9_-]{56}$/;

/**
 * Makes and reads cursors: the position and an HMAC-SHA-256 (its first 144 bits) over it and the list, base64url. They hold for
 * ever, on every replica, as long as the key is configured.
 */
export class DeliveryCursors {
  /** @param keys the first signs, all verify */
  constructor(private readonly keys: readonly Buffer[]) {
    if (keys.length === 0 || keys.some((key) => key.length < 32)) {
      throw new Error('cursors need a signing key of 32 bytes or more');
    }
  }

  encode(list: CursorList, { createdUs, id }: LogPosition): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeBigInt64BE(BigInt(createdUs));
    position.write(id.replaceAll('-', ''), TIME_BYTES, 'hex');
    return Buffer.concat([position, signatureOf(this.keys[0] as Buffer, list, position)]).toString('base64url');
  }

  /** @throws InvalidCursorError */
  decode(list: CursorList, cursor: string): LogPosition {
    if (!FORM.test(cursor)) throw new InvalidCursorError();
    const bytes = Buffer.from(cursor, 'base64url');
    const position = bytes.subarray(0, POSITION_BYTES);
    const signature = bytes.subarray(POSITION_BYTES);
    if (!this.keys.some((key) => timingSafeEqual(signature, signatureOf(key, list, position)))) {
      throw new InvalidCursorError();
    }
    const hex = position.toString('hex', TIME_BYTES);
    const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
    return { createdUs: position.readBigInt64BE().toString(), id };
  }
}

function signatureOf(key: Buffer, list: CursorList, position: Buffer): Buffer {
  const { partnerId, environment, status, oid, refId } = list;
  // Cursors of lists without these filters stay what they were before there were any.
  const filters = oid === null && refId === null ? [] : [oid, refId];
  const bound = JSON.stringify(['deliveries', partnerId, environment, status, ...filters]);
  return createHmac('sha256', key).update(position).update(bound, 'utf8').digest().subarray(0, SIGNATURE_BYTES);
}
