import { InvalidCursorError } from '../errors/request-errors';
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface CursorForm {
  /** The length of a position, in bytes. */
  readonly positionBytes: number;
  /**
   * How many bytes of the HMAC-SHA-256 are kept. `positionBytes` + `signatureBytes` must be a multiple of 3: base64 then has no spare
   * bits, so no second text decodes to the same cursor.
   */
  readonly signatureBytes: number;
}

const MIN_KEY_BYTES = 32;

/**
 * Encodes and decodes cursors: base64url of a position and an HMAC over the position and its list. Cursors do not expire,
 * and are valid on every replica as long as their key is configured.
 */
export class SignedCursors {
  private readonly form: RegExp;

  /**
   * @param keys the first key signs, all keys verify
   * @throws Error when there is no key, or when a key has less than 32 bytes
   * @throws RangeError when the length of a cursor is not a multiple of 3 bytes
   */
  constructor(
    private readonly keys: readonly Buffer[],
    private readonly sizes: CursorForm,
  ) {
    if (keys.length === 0 || keys.some((key) => key.length < MIN_KEY_BYTES))
      throw new Error('cursors need a signing key of 32 bytes or more');
    const length = ((sizes.positionBytes + sizes.signatureBytes) * 4) / 3;
    if (!Number.isInteger(length)) throw new RangeError('the length of a cursor must be a multiple of 3 bytes');
    this.form = new RegExp(`^[A-Za-z0-9_-]{${length}}$`);
  }

  /** Returns a signed cursor. @param list the name, owner and filters of the list: the cursor is valid for no other list */
  encode(list: readonly unknown[], position: Buffer): string {
    return Buffer.concat([position, this.sign(this.keys[0] as Buffer, list, position)]).toString('base64url');
  }

  /** Verifies a cursor. @returns its position @throws InvalidCursorError when it is malformed or was not issued for the list */
  decode(list: readonly unknown[], cursor: string): Buffer {
    if (!this.form.test(cursor)) throw new InvalidCursorError();
    const bytes = Buffer.from(cursor, 'base64url');
    const position = bytes.subarray(0, this.sizes.positionBytes);
    const signature = bytes.subarray(this.sizes.positionBytes);
    if (!this.keys.some((key) => timingSafeEqual(signature, this.sign(key, list, position))))
      throw new InvalidCursorError();
    return position;
  }

  private sign(key: Buffer, list: readonly unknown[], position: Buffer): Buffer {
    const hmac = createHmac('sha256', key).update(position).update(JSON.stringify(list), 'utf8');
    return hmac.digest().subarray(0, this.sizes.signatureBytes);
  }
}
