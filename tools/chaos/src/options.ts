import { parseArgs } from 'node:util';

export interface ChaosOptions {
  kills: number;
  bus: 'kafka' | 'postgres';
  /** A rolling restart of several replicas. */
  rolling: boolean;
  /** The number of faults of all kinds; null: another run. */
  faults: number | null;
  /** Whether docs/reliability.md gets the figures of a run with faults. */
  write: boolean;
  /** Calls by the SDK of partners while the gateway is killed. */
  sdk: boolean;
  /** Replicas of each app in a rolling restart. */
  replicas: number;
  /** The number of different webhooks in a flood; null: the run with purchases and users. */
  webhooks: number | null;
  /** Purchases per second, or webhooks per second of a flood. */
  rate: number;
  /** Users with identity protection per second. */
  users: number;
  /** Mean time between kills; in a rolling restart, between two requests of an operation; ms. */
  everyMs: number;
  /** Names of the processes that may be killed; null: all. */
  only: readonly string[] | null;
  /** Two runs with the same seed choose the same victims in the same order. */
  seed: number;
  /** How long the platform may take to catch up after the last restart, ms. */
  limitMs: number;
}

export const USAGE = `npm run chaos -- [options]

Buys steadily while random processes of a stack of its own are killed with SIGKILL, then checks that every accepted webhook
has its one sale and every qualified sale its postback under one webhook-id. Beside that users create profiles, get their money
back or leave: then every wanted enrollment is active at the vendor, and the vendor has nobody without a profile.

With --webhooks a flood instead: so many webhooks of billing and of the identity vendor, 30 % of them twice, shuffled, go to two
webhook-ingest at once, one of which is killed every 5 s. Then every webhook is stored once, every event of a subscription was
taken once, and every subscription is in the state that its newest events say.

With --rolling each app has several replicas behind one address, and every API is asked all the time, while each replica of each app is
replaced: a new one is started and ready before the old one is asked to stop. Then no request has failed, nothing is lost, and no
postback was sent twice.

With --sdk the SDK of partners creates vouchers and revokes sales while partner-gateway is killed. Then no call has failed or hung, every voucher
and revocation that it returned is stored, and nothing else. It runs on the postgres bus, in which the events of revocations are counted.

With --faults everything is broken, not only killed: processes stop and continue, run out of memory or have a wrong clock; networks are cut, slow,
half open or reset; Postgres crashes, fails over or has a full disk; brokers are killed, lose their lead or their disk. Purchases, refunds,
revocations, coupons, users and support go on all the time. Then everything that was acknowledged exists once, and nothing else.

  --faults N     how many faults
  --write        writes the figures of a run with faults to docs/reliability.md
  --sdk          the SDK of partners
  --webhooks N   how many different webhooks
  --rolling      a rolling restart of everything
  --replicas N   replicas of each app in it, and in a run with faults (2)
  --kills N      how many kills (60, with --sdk 20)
  --bus NAME     kafka or postgres (kafka)
  --rate N       purchases a second (10, with --faults 4), or deliveries of a flood (200)
  --users N      users with identity protection a second (0.5)
  --every MS     mean time between kills (2000, of a flood 5000, with --sdk 1000) or faults (250), or, in a rolling restart, between two
                 requests of each operation (250)
  --only NAMES   kills none but these processes: a comma list such as postgres,partner-gateway; with --faults: has none but these kinds
  --seed N       chooses the victims (the time of day)
  --limit MS     longest catching up after the last restart (10000)
`;

/** @throws TypeError with a message for people when an option is unknown or not a number */
export function readOptions(argv: string[]): ChaosOptions | 'help' {
  const { values } = parseArgs({
    args: argv,
    options: {
      kills: { type: 'string' },
      faults: { type: 'string' },
      write: { type: 'boolean', default: false },
      sdk: { type: 'boolean', default: false },
      bus: { type: 'string', default: 'kafka' },
      webhooks: { type: 'string' },
      rolling: { type: 'boolean', default: false },
      replicas: { type: 'string', default: '2' },
      rate: { type: 'string' },
      users: { type: 'string', default: '0.5' },
      every: { type: 'string' },
      only: { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      limit: { type: 'string', default: '10000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  if (values.bus !== 'kafka' && values.bus !== 'postgres')
    throw new TypeError(`--bus is kafka or postgres, not ${values.bus}`);
  const isFlood = values.webhooks !== undefined;
  const hasFaults = values.faults !== undefined;
  if ([values.rolling, values.sdk, isFlood, hasFaults].filter(Boolean).length > 1)
    throw new TypeError('--rolling, --sdk, --webhooks and --faults are different runs');
  return {
    rolling: values.rolling,
    replicas: positive('replicas', values.replicas),
    webhooks: values.webhooks === undefined ? null : positive('webhooks', values.webhooks),
    faults: values.faults === undefined ? null : positive('faults', values.faults),
    write: values.write,
    sdk: values.sdk,
    kills: positive('kills', values.kills ?? (values.sdk ? '20' : '60')),
    bus: values.sdk ? 'postgres' : values.bus,
    rate: positive('rate', values.rate ?? (isFlood ? '200' : hasFaults ? '4' : '10')),
    users: positive('users', values.users),
    everyMs: positive('every', values.every ?? defaultEvery(values.rolling || hasFaults, isFlood, values.sdk)),
    only: values.only?.split(',') ?? (values.sdk ? ['partner-gateway'] : null),
    seed: Number(values.seed),
    limitMs: positive('limit', values.limit),
  };
}

function defaultEvery(isRolling: boolean, isFlood: boolean, isSdk: boolean): string {
  if (isRolling) return '250';
  if (isFlood) return '5000';
  return isSdk ? '1000' : '2000';
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new TypeError(`--${name} is a positive number, not ${text}`);
  return value;
}
