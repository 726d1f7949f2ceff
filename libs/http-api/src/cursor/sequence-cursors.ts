import { InvalidCursorError } from '../errors/request-errors';
import { SignedCursors } from './signed-cursors';

const POSITION_BYTES = 8;
const SIGNATURE_BYTES = 16;
/** The last value of a Postgres `bigint`. */
const MAX_POSITION = 2n ** 63n - 1n;

/** Cursors of lists that are sorted by a number of their rows, newest first: a position is the number of a page's last row. */
export class SequenceCursors {
  private readonly cursors: SignedCursors;

  /** @param keys the first signs, all verify @throws Error when there is none, or one of less than 32 bytes */
  constructor(keys: readonly Buffer[]) {
    this.cursors = new SignedCursors(keys, { positionBytes: POSITION_BYTES, signatureBytes: SIGNATURE_BYTES });
  }

  /**
   * @param list the name of the list, whose it is, and its filters: the cursor is good for no other
   * @param seq of the last row of the page
   */
  encode(list: readonly unknown[], seq: string): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeBigUInt64BE(BigInt(seq));
    return this.cursors.encode(list, position);
  }

  /** @returns the `seq` that the page begins below @throws InvalidCursorError */
  decode(list: readonly unknown[], cursor: string): string {
    const seq = this.cursors.decode(list, cursor).readBigUInt64BE();
    if (seq > MAX_POSITION) throw new InvalidCursorError();
    return seq.toString();
  }
}
