import { randomBytes } from 'node:crypto';
import { InvalidCursorError } from '../errors/request-errors';
import { SignedCursors } from './signed-cursors';

const SIZES = { positionBytes: 8, signatureBytes: 16 };
const [key, older] = [randomBytes(32), randomBytes(32)];
const cursors = new SignedCursors([key], SIZES);
const list = ['coupons', 'partner-1', null];
const position = Buffer.from('0000000000000007', 'hex');

describe('a signed cursor', () => {
  it('decodes to the encoded position, on any replica with the key', () => {
    const cursor = cursors.encode(list, position);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(new SignedCursors([key], SIZES).decode(list, cursor)).toEqual(position);
  });

  it('is valid until the key that signed it is removed from the list of keys', () => {
    const cursor = new SignedCursors([older], SIZES).encode(list, position);
    expect(new SignedCursors([key, older], SIZES).decode(list, cursor)).toEqual(position);
    expect(() => cursors.decode(list, cursor)).toThrow(InvalidCursorError);
  });

  it('is refused for another list, and when any of its characters is changed', () => {
    const cursor = cursors.encode(list, position);
    expect(() => cursors.decode(['coupons', 'partner-2', null], cursor)).toThrow(InvalidCursorError);
    for (let at = 0; at < cursor.length; at++) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      expect(() => cursors.decode(list, changed)).toThrow(InvalidCursorError);
    }
  });

  it.each(['', 'x', `${'A'.repeat(32)}=`, 'A'.repeat(31), 'A'.repeat(33), `${'A'.repeat(31)}+`])(
    'is refused when its text is %p',
    (text) => {
      expect(() => cursors.decode(list, text)).toThrow(InvalidCursorError);
    },
  );

  it('cannot be created without a key, with a key of 31 bytes, or with a length that leaves spare bits in base64', () => {
    expect(() => new SignedCursors([], SIZES)).toThrow('signing key');
    expect(() => new SignedCursors([key, randomBytes(31)], SIZES)).toThrow('signing key');
    expect(() => new SignedCursors([key], { positionBytes: 8, signatureBytes: 17 })).toThrow(RangeError);
  });
});
