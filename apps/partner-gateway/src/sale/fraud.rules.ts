import type { HoldReason } from './sale.entity';

/** What the fraud rules look at. */
export interface Suspicion {
  emailHash: string | null;
  emailMasked: string | null;
  partnerEmailHash: string | null;
  /** The buyer's other sales within the hour before this one. */
  salesInHour: number;
}

/** When a sale is worth a second look. */
export interface FraudLimits {
  maxSalesPerHour: number;
  /** Lower case; subdomains are meant too. */
  disposableDomains: readonly string[];
}

/** Why a sale must wait for a person's decision, or null. */
export function findHoldReason(sale: Suspicion, limits: FraudLimits): HoldReason | null {
  if (sale.emailHash !== null && sale.emailHash === sale.partnerEmailHash) return 'buyer_is_partner';
  if (isDisposable(sale.emailMasked, limits.disposableDomains)) return 'disposable_email';
  // This sale counts too: the sixth of an hour is the first of "more than 5".
  if (sale.salesInHour + 1 > limits.maxSalesPerHour) return 'too_many_sales';
  return null;
}

/** A masked address still tells its domain. */
function isDisposable(emailMasked: string | null, domains: readonly string[]): boolean {
  const domain = emailMasked?.slice(emailMasked.lastIndexOf('@') + 1).toLowerCase() ?? '';
  return domains.some((disposable) => domain === disposable || domain.endsWith(`.${disposable}`));
}
