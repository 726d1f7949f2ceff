import { InvalidCursorError, SignedCursors } from '@tandem/http-api';

const TIME_BYTES = 8;
const POSITION_BYTES = TIME_BYTES + 8;
const SIGNATURE_BYTES = 17;
/** The greatest value of a Postgres `bigint`. */
const MAX_SEQ = 2n ** 63n - 1n;
/** The latest time that a Date can represent, in ms. */
const MAX_TIME = 8_640_000_000_000_000n;

/** The position of a sale in a list. A page starts after the last sale of the previous page. */
export interface SalePosition {
  readonly soldAt: Date;
  readonly seq: string;
}

/**
 * Signs and reads the cursors of lists that are sorted by the time of the sale. A cursor contains the time and the `seq` of the last sale
 * on a page.
 */
export class SaleTimeCursors {
  private readonly cursors: SignedCursors;

  /**
   * @param name the list's name, such as `partner-sales`
   * @param keys the first key signs cursors; all keys verify them
   */
  constructor(
    private readonly name: string,
    keys: readonly Buffer[],
  ) {
    this.cursors = new SignedCursors(keys, { positionBytes: POSITION_BYTES, signatureBytes: SIGNATURE_BYTES });
  }

  /** @param list the owner of the list and its filters; only a request with the same values can use the cursor */
  encode(list: readonly unknown[], { soldAt, seq }: SalePosition): string {
    const position = Buffer.alloc(POSITION_BYTES);
    position.writeBigInt64BE(BigInt(soldAt.getTime()));
    position.writeBigInt64BE(BigInt(seq), TIME_BYTES);
    return this.cursors.encode([this.name, ...list], position);
  }

  /** @throws InvalidCursorError */
  decode(list: readonly unknown[], cursor: string): SalePosition {
    const position = this.cursors.decode([this.name, ...list], cursor);
    const [time, seq] = [position.readBigInt64BE(), position.readBigInt64BE(TIME_BYTES)];
    if (time > MAX_TIME || seq > MAX_SEQ) throw new InvalidCursorError();
    return { soldAt: new Date(Number(time)), seq: seq.toString() };
  }
}
