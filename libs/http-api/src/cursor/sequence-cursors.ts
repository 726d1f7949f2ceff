import { InvalidCursorError } from '../errors/request-errors';
import { SignedCursors } from './signed-cursors';

const POSITION_BYTES = 8;
const SIGNATURE_BYTES = 16;
/** The maximum of a Postgres `bigint`. */
const MAX_POSITION = 2n ** 63n - 1n;

/** Cursors of lists that are sorted by a sequence number, newest first. A position is the number of a page's last row. */
export class SequenceCursors {
  private readonly cursors: SignedCursors;

  /**
   * @param keys the first key signs, all keys verify
   * @throws Error when there is no key, or when a key has less than 32 bytes
   */
  constructor(keys: readonly Buffer[]) {
    this.cursors = new SignedCursors(keys, { positionBytes: POSITION_BYTES, signatureBytes: SIGNATURE_BYTES });
  }

  /**
   * Returns the cursor of the page that follows a row.
   *
   * @param list the name, owner and filters of the list: the cursor is valid for no other list
   * @param seq the sequence number of the page's last row
   */
  encode(list: readonly unknown[], seq: string): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeBigUInt64BE(BigInt(seq));
    return this.cursors.encode(list, position);
  }

  /**
   * Verifies a cursor.
   *
   * @returns the `seq` of the previous page's last row: the next page begins below this number
   * @throws InvalidCursorError
   */
  decode(list: readonly unknown[], cursor: string): string {
    const seq = this.cursors.decode(list, cursor).readBigUInt64BE();
    if (seq > MAX_POSITION) throw new InvalidCursorError();
    return seq.toString();
  }
}
