/** The plans that the store sells, each for a year. A price is the same number of cents in every currency: the store does not convert. */
export const PLANS = {
  vpn: { name: 'VPN', cents: 59_95, entitlements: [] },
  advanced: { name: 'Advanced', cents: 89_95, entitlements: ['idp.identity', 'idp.credit', 'idp.removal'] },
  pro: { name: 'Pro', cents: 129_95, entitlements: ['idp.identity', 'idp.credit', 'idp.removal', 'idp.titles'] },
} as const;

export type Plan = keyof typeof PLANS;
export const PLAN_NAMES = Object.keys(PLANS) as Plan[];
export const DEFAULT_PLAN: Plan = 'pro';

export const isPlan = (text: unknown): text is Plan => PLAN_NAMES.includes(text as Plan);

/** Formats an amount as payments webhooks contain it: as a decimal string, not as a number. */
export const decimal = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

export const discounted = (cents: number, percentOff: number): number => Math.round((cents * (100 - percentOff)) / 100);
