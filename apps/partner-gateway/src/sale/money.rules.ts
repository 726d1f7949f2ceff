/**
 * Formats a decimal string with exactly two decimals and without leading zeros: `5` becomes `5.00`, `049.9` becomes `49.90`. The amount
 * stays a string, because a float would change large amounts.
 *
 * @param amount digits with at most two decimals (`DECIMAL_STRING` of libs/contracts)
 */
export function withTwoDecimals(amount: string): string {
  const [whole = '', decimals = ''] = amount.split('.');
  return `${whole.replace(/^0+(?=\d)/, '')}.${decimals.padEnd(2, '0')}`;
}

/** Returns whether a decimal string is more than zero. */
export const isMoreThanZero = (amount: string): boolean => /[1-9]/.test(amount);
