import { texts } from '../texts/common';

/** Matches an amount that is not a whole number. */
const HAS_DECIMALS = /\.\d*[1-9]/;

/**
 * Formats an amount in the reader's locale. The API's decimal string is never converted to a floating-point number. The API's amounts have two
 * decimals in every currency. The decimals are never rounded, not even in a currency that usually has no decimals, such as JPY.
 */
export function formatAmount(amount: string, currency: string): string {
  try {
    const decimals = HAS_DECIMALS.test(amount) ? { minimumFractionDigits: 2 } : {};
    const format = new Intl.NumberFormat(undefined, { style: 'currency', currency, ...decimals });
    return format.format(amount as unknown as number);
  } catch {
    return `${amount} ${currency}`;
  }
}

export const Amount = ({ amount, currency }: { amount: string | null; currency: string | null }) => (
  <span style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
    {amount === null || currency === null ? texts.none : formatAmount(amount, currency)}
  </span>
);
