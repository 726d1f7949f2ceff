import { ValidationFailedError } from '@tandem/http-api';
import { type CreationInputs, idempotencyKeyOf, wantedCoupons } from './voucher.rules';

const countOf = (body: CreationInputs, query: CreationInputs = {}) =>
  wantedCoupons({ voucherGroupId: 'g', ...body }, query).requestedCount;

const fieldsOf = (act: () => unknown): string[] => {
  try {
    act();
  } catch (error) {
    if (error instanceof ValidationFailedError) return error.fields.map(({ field }) => field);
    throw error;
  }
  return [];
};
const fieldOf = (act: () => unknown): string | undefined => fieldsOf(act)[0];

describe('the requested count of coupons', () => {
  it.each<[CreationInputs, CreationInputs, number | null]>([
    [{}, {}, null],
    [{ count: null }, {}, null],
    [{ count: 1 }, {}, 1],
    [{ count: 10.0 }, {}, 10],
    [{ count: 500 }, {}, 500],
    [{ count: 501 }, {}, 501],
    [{ count: 1e9 }, {}, 1e9],
    [{}, { count: '20' }, 20],
    [{}, { count: '2e1' }, 20],
    [{}, { count: '20.0' }, 20],
    [{ count: null }, { count: '20' }, 20],
    [{ count: 20 }, { count: '20' }, 20],
  ])('is read from the body %j and the query %j as %j [vouchers.requested-count]', (body, query, count) => {
    expect(countOf(body, query)).toBe(count);
  });

  it.each([0, -0, -1, 1.5, 500.5, '20', 'abc', '', true, false, [], [20], {}, Infinity, -Infinity, NaN])(
    'is refused when the body contains %p as the count [vouchers.count-invalid]',
    (count) => {
      expect(fieldOf(() => countOf({ count }))).toBe('count');
    },
  );

  it.each(['', ' ', ' 20', '0', '-1', '1.5', 'abc', '0x10', '020', '+20', '1e999', 'Infinity', 'null', ['20', '20']])(
    'is refused when the query contains %p as the count [vouchers.count-invalid]',
    (count) => {
      expect(fieldOf(() => countOf({}, { count }))).toBe('count');
    },
  );

  it('is refused when the counts in the body and the query differ, or one of them is invalid [vouchers.create-query]', () => {
    expect(fieldOf(() => countOf({ count: 20 }, { count: '21' }))).toBe('count');
    expect(fieldOf(() => countOf({ count: '20' }, { count: '20' }))).toBe('count');
    expect(fieldOf(() => countOf({ count: 20 }, { count: 'x' }))).toBe('count');
  });
});

describe('the requested voucher group', () => {
  it.each<[CreationInputs, CreationInputs]>([
    [{ voucherGroupId: 'g' }, {}],
    [{}, { voucherGroupId: 'g' }],
    [{ voucherGroupId: null }, { voucherGroupId: 'g' }],
    [{ voucherGroupId: 'g' }, { voucherGroupId: 'g' }],
  ])('is taken from the body %j and the query %j [vouchers.create-query]', (body, query) => {
    expect(wantedCoupons(body, query).voucherGroupId).toBe('g');
  });

  it.each<[CreationInputs, CreationInputs]>([
    [{}, {}],
    [{ voucherGroupId: null }, {}],
    [{ voucherGroupId: '' }, {}],
    [{ voucherGroupId: 7 }, {}],
    [{ voucherGroupId: ['g'] }, {}],
    [{}, { voucherGroupId: '' }],
    [{}, { voucherGroupId: ['g', 'g'] }],
    [{ voucherGroupId: 'g' }, { voucherGroupId: 'h' }],
  ])('is refused with the body %j and the query %j [vouchers.create-query]', (body, query) => {
    expect(fieldOf(() => wantedCoupons(body, query))).toBe('voucherGroupId');
  });
});

it('a refusal of a creation names every invalid input [errors.validation-failed]', () => {
  const refused = (): unknown => wantedCoupons({ count: 0 }, {}, '');
  expect(refused).toThrow(ValidationFailedError);
  expect(fieldsOf(refused)).toEqual(['voucherGroupId', 'count', 'Idempotency-Key']);
});

describe('an idempotency key', () => {
  it('is optional, and may have up to 255 characters', () => {
    expect(idempotencyKeyOf(undefined)).toBeNull();
    expect(idempotencyKeyOf('k'.repeat(255))).toBe('k'.repeat(255));
  });

  it.each(['', 'k'.repeat(256)])('is refused when it is %p [vouchers.idempotency-empty]', (header) => {
    expect(fieldOf(() => idempotencyKeyOf(header))).toBe('Idempotency-Key');
  });
});
