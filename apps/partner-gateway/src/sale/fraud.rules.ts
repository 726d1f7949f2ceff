import { comparableDomainOf, type Environment } from '@tandem/contracts';
import type { HoldEvidence, HoldReason, Sale } from './sale.entity';

/** The facts about a sale that the fraud rules check. */
export interface Suspicion {
  emailHash: string | null;
  emailMasked: string | null;
  soldAt: Date | null;
  partnerEmailHash: string | null;
  /** The times of the buyer's other sales, in ms. The list may also contain sales that are an hour or more away from this sale. */
  otherSales: readonly number[];
}

/** The configured limits of the fraud rules. */
export interface FraudLimits {
  maxSalesPerHour: number;
  /** The disposable domains, in the form that `comparableDomain` returns. Their subdomains are disposable too. */
  disposableDomains: readonly string[];
}

/** Returns why a sale must be held for a manager's decision, or null when no rule holds it. */
export function findHoldReason(sale: Suspicion, limits: FraudLimits): HoldReason | null {
  if (sale.emailHash !== null && sale.emailHash === sale.partnerEmailHash) return 'buyer_is_partner';
  if (isDisposable(sale.emailMasked, limits.disposableDomains)) return 'disposable_email';
  if (isOneOfTooMany(sale, limits.maxSalesPerHour)) return 'too_many_sales';
  return null;
}

/** Another sale of a buyer. */
export interface OtherSale {
  readonly oid: string;
  /** The time of the sale, in ms. */
  readonly at: number;
}

/**
 * Returns the evidence on which a rule held a sale, for the manager who decides.
 *
 * @returns for `disposable_email`, the domain; for `too_many_sales`, the `maxSalesPerHour` other sales of the buyer that are nearest in
 * time, all within an hour of this sale; null for `buyer_is_partner`, which needs no evidence, and for a sale that is not held
 */
export function evidenceOf(
  reason: HoldReason | null,
  { emailMasked, soldAt }: Pick<Sale, 'emailMasked' | 'soldAt'>,
  others: readonly OtherSale[],
  { maxSalesPerHour }: FraudLimits,
): HoldEvidence | null {
  const none = { domain: null, maxSalesPerHour: null, sales: [] };
  if (reason === 'disposable_email') return { ...none, domain: comparableDomainOf(emailMasked ?? '') };
  if (reason !== 'too_many_sales' || soldAt === null) return null;
  const distance = ({ at }: OtherSale): number => Math.abs(at - soldAt.getTime());
  const sales = others
    .filter((other) => distance(other) < HOUR_MS)
    .sort((one, other) => distance(one) - distance(other) || (one.oid < other.oid ? -1 : 1))
    .slice(0, maxSalesPerHour)
    .map(({ oid, at }) => ({ oid, soldAt: new Date(at).toISOString() }));
  return { ...none, maxSalesPerHour, sales };
}

/** Returns whether the domain of an address is disposable. A masked address still contains its domain. */
function isDisposable(emailMasked: string | null, domains: readonly string[]): boolean {
  const domain = comparableDomainOf(emailMasked ?? '');
  return domains.some((disposable) => domain === disposable || domain.endsWith(`.${disposable}`));
}

const HOUR_MS = 3_600_000;

/**
 * Returns whether any hour that contains this sale has more than `max` sales of the buyer, including this sale. Sales arrive in any order,
 * so sales after this one count as much as sales before it. The hour is half-open: two sales exactly one hour apart are never in the same
 * hour.
 */
function isOneOfTooMany({ soldAt, otherSales }: Suspicion, max: number): boolean {
  if (soldAt === null) return false;
  const at = soldAt.getTime();
  const times = [...otherSales, at].sort((one, other) => one - other);
  return times.some((first, index) => {
    const last = times[index + max];
    return last !== undefined && first <= at && at <= last && last - first < HOUR_MS;
  });
}

/**
 * A sale that counts for the hourly limit: its payment is captured, and it is attributed to a partner. It does not matter to which partner,
 * or what the status of the sale is: held, refused and refunded sales count too.
 */
export type CountedSale = Pick<Sale, 'oid' | 'emailHash' | 'environment' | 'soldAt'>;

/** Identifies a buyer, and a time at which this buyer may have a sale once the current batch is applied. */
export interface BuyerTime {
  emailHash: string;
  environment: Environment;
  at: Date;
}

/** The known sales of buyers. A buyer is identified by a hash of the e-mail address and an environment. */
export class BuyerSales {
  private readonly salesByBuyer = new Map<string, Map<string, number>>();

  constructor(counted: Iterable<CountedSale>) {
    for (const sale of counted) this.add(sale);
  }

  /** Removes the previous state of a sale, and adds the new state if the sale counts for the hourly limit. */
  replace(before: Sale | undefined, after: Sale): void {
    if (before) this.salesByBuyer.get(buyerOf(before))?.delete(before.oid);
    if (after.partnerId !== null && after.paymentStatus === 'captured') this.add(after);
  }

  /** Returns the other sales of the same buyer. */
  othersOf(sale: CountedSale): OtherSale[] {
    const sales = sale.emailHash === null ? [] : [...(this.salesByBuyer.get(buyerOf(sale)) ?? [])];
    return sales.flatMap(([oid, at]) => (oid === sale.oid ? [] : [{ oid, at }]));
  }

  private add(sale: CountedSale): void {
    if (sale.emailHash === null || sale.soldAt === null) return;
    const buyer = buyerOf(sale);
    const sales = this.salesByBuyer.get(buyer) ?? new Map<string, number>();
    this.salesByBuyer.set(buyer, sales.set(sale.oid, sale.soldAt.getTime()));
  }
}

const buyerOf = ({ emailHash, environment }: Pick<Sale, 'emailHash' | 'environment'>): string =>
  `${environment} ${emailHash}`;
