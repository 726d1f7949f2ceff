import { table } from '../src/table';

const ID = 'tok_550e8400e29b41d4a716446655440000';
const ROWS = [
  {
    id: ID,
    name: 'A name that is rather long for a column',
    scopes: ['checkout:create', 'sales:revoke'],
    at: '2026-03-01',
  },
  { id: ID.replace('0000', '1111'), name: 'Short', scopes: ['sales:revoke'], at: null },
];
const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('a table', () => {
  it('has a column for each field that has a value, as wide as the longest value or the name of the field', () => {
    expect(
      table(
        [
          { id: 'a', name: 'One', none: null },
          { id: 'bb', name: null, none: null, only: 'here' },
        ],
        80,
      ),
    ).toBe('id  name  only\na   One   –\nbb  –     here');
  });

  it('is never wider than the terminal, and does not cut an id that fits in a line', () => {
    for (let columns = 24; columns <= 140; columns += 1) {
      const text = table(ROWS, columns);
      expect(widest(text)).toBeLessThanOrEqual(columns);
      if (columns >= 46) expect(text).toContain(ID);
    }
  });

  it('becomes one block per row when the columns do not fit', () => {
    expect(
      table(
        [
          { id: ID, name: 'The first' },
          { id: ID, name: 'The second' },
        ],
        42,
      ),
    ).toBe(`id    ${ID}\nname  The first\n\nid    ${ID}\nname  The second`);
  });

  it('shows objects as text', () => {
    expect(table([{ id: 'a', items: [{ price: '1.00', tier: '' }] }], 80)).toBe('id  items\na   price 1.00, tier –');
  });
});
