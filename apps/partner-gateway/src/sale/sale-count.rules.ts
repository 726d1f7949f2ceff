import type { Environment } from '@tandem/contracts';
import { ALL_PARTNERS, BUCKET_MS } from '@tandem/database';
import { withTwoDecimals } from './money.rules';
import type { Sale } from './sale.entity';

/** A change of a sale; `before` is undefined for a new sale. */
export interface SaleChange {
  readonly before: Sale | undefined;
  readonly after: Sale;
}

/** The key of a row of statistics. */
export interface CountKey {
  readonly partnerId: string;
  /** Empty in the rows of {@link ALL_PARTNERS}. */
  readonly promotionId: string;
  readonly environment: Environment;
  readonly currency: string;
  /** The start of the quarter of an hour in which the sale was made, as an ISO 8601 string. */
  readonly bucket: string;
}

/** The counts in a row of statistics. */
export const COUNTS = ['sales', 'held', 'revoked', 'refunded', 'chargedBack'] as const;
/** The amounts in a row of statistics. */
export const AMOUNTS = ['amount', 'revokedAmount', 'refundedAmount', 'chargedBackAmount'] as const;
export type CountName = (typeof COUNTS)[number];
export type AmountName = (typeof AMOUNTS)[number];

/** The values to add to a row of statistics. Amounts are decimal strings with two decimals. */
export type CountDelta = CountKey & Readonly<Record<CountName, number> & Record<AmountName, string>>;

/** The running sum of the changes to a row. Amounts are in hundredths of the currency. */
type Sum = Record<CountName, number> & Record<AmountName, bigint>;

/**
 * Returns the values that changes of sales add to the statistics: one element for each row that changes. The elements are sorted by the key
 * of the row, so all transactions write rows in the same order.
 */
export function countChanges(changes: readonly SaleChange[]): CountDelta[] {
  const sums = new Map<string, { key: CountKey; sum: Sum }>();
  for (const { before, after } of changes) {
    if (before) add(sums, before, -1);
    add(sums, after, 1);
  }
  return [...sums.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, { sum }]) => [...COUNTS, ...AMOUNTS].some((name) => Number(sum[name]) !== 0))
    .map(([, { key, sum }]) => ({ ...key, ...sum, ...amountsOf(sum) }));
}

function add(sums: Map<string, { key: CountKey; sum: Sum }>, sale: Sale, sign: 1 | -1): void {
  const own = keyOf(sale);
  if (own === null) return;
  const counted = sumOf(sale);
  for (const key of [own, { ...own, partnerId: ALL_PARTNERS, promotionId: '' }]) {
    const name = JSON.stringify([key.partnerId, key.environment, key.bucket, key.promotionId, key.currency]);
    const entry = sums.get(name) ?? { key, sum: sumOf(null) };
    for (const count of COUNTS) entry.sum[count] += sign * counted[count];
    for (const amount of AMOUNTS) entry.sum[amount] += BigInt(sign) * counted[amount];
    sums.set(name, entry);
  }
}

/** Returns the key under which a sale is counted, or null if it is not a partner's sale. */
function keyOf({ partnerId, promotionId, environment, currency, soldAt }: Sale): CountKey | null {
  if (partnerId === null || environment === null || currency === null || soldAt === null) return null;
  const bucket = new Date(Math.floor(Number(soldAt) / BUCKET_MS) * BUCKET_MS).toISOString();
  return { partnerId, promotionId: promotionId ?? '', environment, currency, bucket };
}

/**
 * Returns the values that one sale adds to the counts and amounts. A sale that has qualified stays counted in `sales` and `amount`. Its
 * revocation, refund or chargeback is counted additionally, in separate columns.
 */
function sumOf(sale: Sale | null): Sum {
  const hasQualified = sale !== null && sale.qualifiedAt !== null;
  const cents = hasQualified ? BigInt(withTwoDecimals(sale.amount ?? '0').replace('.', '')) : 0n;
  const is = (status: Sale['status']): boolean => hasQualified && sale.status === status;
  return {
    sales: Number(hasQualified),
    held: Number(sale?.status === 'held'),
    revoked: Number(is('revoked')),
    refunded: Number(is('refunded')),
    chargedBack: Number(is('charged_back')),
    amount: cents,
    revokedAmount: is('revoked') ? cents : 0n,
    refundedAmount: is('refunded') ? cents : 0n,
    chargedBackAmount: is('charged_back') ? cents : 0n,
  };
}

const amountsOf = (sum: Sum) =>
  Object.fromEntries(AMOUNTS.map((name) => [name, decimalOf(sum[name])])) as Record<AmountName, string>;

function decimalOf(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
