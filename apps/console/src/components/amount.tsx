import { texts } from '../texts/common';

/** Formats an amount in the reader's locale. The API's decimal string is never converted to a floating-point number. */
export function formatAmount(amount: string, currency: string): string {
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount as unknown as number);
  } catch {
    return `${amount} ${currency}`;
  }
}

export const Amount = ({ amount, currency }: { amount: string | null; currency: string | null }) => (
  <span style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
    {amount === null || currency === null ? texts.none : formatAmount(amount, currency)}
  </span>
);
