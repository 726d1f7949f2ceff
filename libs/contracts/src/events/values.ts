/** Whether a credential, sale or delivery is real (`live`) or a partner's test (`test`). */
export const ENVIRONMENTS = ['live', 'test'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** A decimal amount as a string, at most 2 decimals: money is never a float. */
export const DECIMAL_STRING = /^\d{1,12}(\.\d{1,2})?$/;
