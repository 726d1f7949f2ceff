import type { Bureau, VendorAlert, VendorUser } from './vendor-user';

const DAY_MS = 24 * 3_600_000;
export const SAMPLE_ALERTS = 24;

/** The bureaus and classes of the sample alerts, used in turn. */
export const KINDS: readonly (readonly [Bureau, string])[] = [
  ['idp', 'PIM'],
  ['exp', 'CREDIT_MONITORING'],
  ['tui', 'CREDIT_MONITORING'],
  ['efx', 'CREDIT_MONITORING'],
  ['idp', 'NHW'],
  ['idp', 'SSN'],
  ['exp', 'HIGH_RISK_TRANSACTION'],
  ['tui', 'COA'],
  ['idp', 'COURT_RECORD'],
  ['efx', 'HIGH_RISK_TRANSACTION'],
  ['idp', 'HOME_TITLE'],
  ['idp', 'AUTO_TITLE'],
];

const WATCHES = [
  { watchId: 'watch-home', label: 'Home', address: '1 Main St, Springfield, IL 62701', radiusMiles: 2, active: true },
  {
    watchId: 'watch-school',
    label: 'School',
    address: '20 Oak Ave, Springfield, IL 62702',
    radiusMiles: 1,
    active: true,
  },
];

const INSTITUTIONS = [
  {
    institutionId: 'inst-northwind',
    name: 'Northwind Bank',
    accounts: [
      { accountId: 'acct-checking', needsRenewal: false },
      { accountId: 'acct-savings', needsRenewal: false },
    ],
  },
  {
    institutionId: 'inst-contoso',
    name: 'Contoso Credit Union',
    accounts: [{ accountId: 'acct-card', needsRenewal: true }],
  },
];

/** Monitored fields of the sample data, with their counts. They are added to the user's own fields. */
const MONITORED = { bankAccount: 2, creditCard: 3, driversLicense: 1, passport: 1, homeTitle: 1, autoTitle: 1 };

const SCORES = [
  { productCode: 'exp1bScore', first: 688 },
  { productCode: 'tui1bScore', first: 694 },
  { productCode: 'efx1bScore', first: 681 },
];
const SCORE_MONTHS = 6;

/** Creates `count` alerts, oldest first: one every 8 hours until `now`, with the bureaus and classes of KINDS in turn. */
export const sampleAlerts = (count: number, now: Date): Omit<VendorAlert, 'alertId'>[] =>
  Array.from({ length: count }, (_, index) => {
    const [bureau, kind] = KINDS[index % KINDS.length] as (typeof KINDS)[number];
    const at = new Date(now.getTime() - (count - 1 - index) * (DAY_MS / 3)).toISOString();
    return { bureau, class: kind, createDate: at, updatedDate: at };
  });

/** Returns six scores of each credit bureau, newest first, 30 days apart; the newest is from the day of `sampleSince`. Without sample data: none. */
export const sampleScores = ({ sampleSince }: VendorUser): object[] =>
  sampleSince === undefined
    ? []
    : Array.from({ length: SCORE_MONTHS }, (_, month) => {
        const scoreDate = new Date(Date.parse(sampleSince) - month * 30 * DAY_MS).toISOString().slice(0, 10);
        return SCORES.map(({ productCode, first }) => ({
          score: String(first + (SCORE_MONTHS - month) * 4),
          productCode,
          scoreDate,
        }));
      }).flat();

/** Returns two Neighborhood Watches, each with its share of the user's `NHW` alerts; none without sample data. */
export function sampleWatches({ sampleSince, alerts }: VendorUser): object[] {
  if (sampleSince === undefined) return [];
  const found = alerts.filter((alert) => alert.class === 'NHW');
  return WATCHES.map((watch, index) => ({
    ...watch,
    createdAt: sampleSince,
    alertCount: found.filter(({ alertId }) => alertId % WATCHES.length === index).length,
  }));
}

export const sampleInstitutions = ({ sampleSince }: VendorUser): object[] =>
  sampleSince === undefined ? [] : INSTITUTIONS;

/** Returns the monitored fields: the user's own fields, each counted once, and those of the sample data. */
export function monitorsOf({ fields, sampleSince }: VendorUser): { category: string; count: number }[] {
  const own = fields.map((category) => ({ category, count: 1 }));
  const sample = Object.entries(sampleSince === undefined ? {} : MONITORED);
  return [...own, ...sample.map(([category, count]) => ({ category, count }))];
}
