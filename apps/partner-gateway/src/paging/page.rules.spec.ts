import { decodeCursor, encodeCursor, pageRequest, toPage } from './page.rules';
import { InvalidCursorError } from '@tandem/internal-api';

describe('cursors', () => {
  it('come back as they went out', () => {
    expect(decodeCursor('sales:held', encodeCursor('sales:held', '42'))).toBe('42');
  });

  it.each([
    '',
    'garbage',
    '!!',
    encodeCursor('sales:pending', '42'),
    Buffer.from('sales:held:x').toString('base64url'),
  ])('refuses %p [errors.invalid-cursor]', (cursor) => {
    expect(() => decodeCursor('sales:held', cursor)).toThrow(InvalidCursorError);
  });

  it('refuses a number that no sequence can reach', () => {
    expect(() => decodeCursor('a', encodeCursor('a', '9999999999999999999'))).toThrow(InvalidCursorError);
  });
});

describe('pages', () => {
  const rows = ['5', '4', '3'].map((seq) => ({ seq }));

  it('has more when one row beyond the limit was read', () => {
    const page = toPage('a', pageRequest('a', { limit: 2 }), rows, ({ seq }) => seq);
    expect(page).toEqual({ items: ['5', '4'], nextCursor: encodeCursor('a', '4'), hasMore: true });
  });

  it('has no cursor on the last page', () => {
    const page = toPage('a', pageRequest('a', { limit: 3 }), rows, ({ seq }) => seq);
    expect(page).toEqual({ items: ['5', '4', '3'], nextCursor: null, hasMore: false });
  });
});
