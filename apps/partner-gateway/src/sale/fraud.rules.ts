import { comparableDomainOf, type Environment } from '@tandem/contracts';
import type { HoldEvidence, HoldReason, Sale } from './sale.entity';

/** The input of the fraud rules. */
export interface Suspicion {
  emailHash: string | null;
  emailMasked: string | null;
  soldAt: Date | null;
  partnerEmailHash: string | null;
  /** Times of the buyer's other sales, in ms. May include sales an hour or more before or after this one. */
  otherSales: readonly number[];
}

/** When a sale is held for review. */
export interface FraudLimits {
  maxSalesPerHour: number;
  /** In the form of `comparableDomain`; includes subdomains. */
  disposableDomains: readonly string[];
}

/** Why a sale must wait for a manager's decision, or null. */
export function findHoldReason(sale: Suspicion, limits: FraudLimits): HoldReason | null {
  if (sale.emailHash !== null && sale.emailHash === sale.partnerEmailHash) return 'buyer_is_partner';
  if (isDisposable(sale.emailMasked, limits.disposableDomains)) return 'disposable_email';
  if (isOneOfTooMany(sale, limits.maxSalesPerHour)) return 'too_many_sales';
  return null;
}

/** Another sale of a buyer. */
export interface OtherSale {
  readonly oid: string;
  /** In ms. */
  readonly at: number;
}

/**
 * What a rule saw when it held a sale, for the manager who decides. Of too many sales as many as the limit allows, the nearest ones in time: they do not
 * depend on what else is known.
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

/** A masked address still contains its domain. */
function isDisposable(emailMasked: string | null, domains: readonly string[]): boolean {
  const domain = comparableDomainOf(emailMasked ?? '');
  return domains.some((disposable) => domain === disposable || domain.endsWith(`.${disposable}`));
}

const HOUR_MS = 3_600_000;

/**
 * Whether an hour that contains this sale has more than `max` of the buyer's sales, this one included: sales arrive in any
 * order, so later ones count as much as earlier ones. The hour is half-open: sales exactly one hour apart
 * share no hour.
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

/** Whether the hourly limit counts a sale: captured, and attributed to any partner. Held and refunded ones count too. */
export type CountedSale = Pick<Sale, 'oid' | 'emailHash' | 'environment' | 'soldAt'>;

/** A time at which a buyer may have a sale that is to be decided. */
export interface BuyerTime {
  emailHash: string;
  environment: Environment;
  at: Date;
}

/** The known sales of buyers; a buyer is an address in an environment. */
export class BuyerSales {
  private readonly salesByBuyer = new Map<string, Map<string, number>>();

  constructor(counted: Iterable<CountedSale>) {
    for (const sale of counted) this.add(sale);
  }

  /** Adds a sale if it counts, and replaces its previous state. */
  replace(before: Sale | undefined, after: Sale): void {
    if (before) this.salesByBuyer.get(buyerOf(before))?.delete(before.oid);
    if (after.partnerId !== null && after.paymentStatus === 'captured') this.add(after);
  }

  /** The buyer's other sales. */
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
