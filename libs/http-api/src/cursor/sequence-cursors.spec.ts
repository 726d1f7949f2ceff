import { randomBytes } from 'node:crypto';
import { SequenceCursors } from './sequence-cursors';
import { InvalidCursorError } from '../errors/request-errors';
import { SignedCursors } from './signed-cursors';

const key = randomBytes(32);
const cursors = new SequenceCursors([key]);

describe('a cursor of a sequence', () => {
  it.each(['0', '42', '9223372036854775807'])('decodes to the number that was encoded: %s', (seq) => {
    expect(cursors.decode(['sales', 'held'], cursors.encode(['sales', 'held'], seq))).toBe(seq);
  });

  it.each([
    '',
    'garbage',
    '!!',
    cursors.encode(['sales', 'pending'], '42'),
    Buffer.from('sales:held:42').toString('base64url'),
  ])('is refused if it was not issued for the list: %p [errors.invalid-cursor]', (cursor) => {
    expect(() => cursors.decode(['sales', 'held'], cursor)).toThrow(InvalidCursorError);
  });

  it('is refused if its number exceeds the maximum of a bigint, even with a valid signature', () => {
    const signed = new SignedCursors([key], { positionBytes: 8, signatureBytes: 16 });
    const beyond = signed.encode(['a'], Buffer.alloc(8, 0xff));
    expect(() => cursors.decode(['a'], beyond)).toThrow(InvalidCursorError);
  });
});
