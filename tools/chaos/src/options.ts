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
  /** An upgrade of each app from an earlier version to this one, and back. */
  upgrade: boolean;
  /** The earlier version of an upgrade: a revision of Git or the folder of a built checkout; null: the last release. */
  from: string | null;
  /** Calls by the SDK of partners while the gateway is killed. */
  sdk: boolean;
  /** Replicas of each app in a rolling restart or an upgrade. */
  replicas: number;
  /** The number of different webhooks in a flood; null: the run with purchases and users. */
  webhooks: number | null;
  /** Purchases per second, or webhooks per second of a flood. */
  rate: number;
  /** Users with identity protection per second. */
  users: number;
  /** Mean time between kills; in a rolling restart, between two requests of an operation; ms. */
  everyMs: number;
  /** Names of the processes that may be killed, or of the apps to upgrade; null: all. */
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

With --upgrade the same load runs while the version changes. Data and all apps are those of an earlier version at first. Then the schemas are migrated to this
version, and each app alone changes to this version, back, and to this version again; finally all apps change back in reverse order, and to this
version again: about 12 minutes with 2 replicas. The earlier version is built once, in .tandem/versions, which takes some minutes.

With --sdk the SDK of partners creates vouchers and revokes sales while partner-gateway is killed. Then no call has failed or hung, every voucher
and revocation that it returned is stored, and nothing else. It runs on the postgres bus, in which the events of revocations are counted.

With --faults everything is broken, not only killed: processes stop and continue, run out of memory or have a wrong clock; networks are cut, slow,
half open or reset; Postgres crashes, fails over or has a full disk; brokers are killed, lose leadership or their disk. Purchases, refunds,
revocations, coupons, users and support go on all the time. Then everything that was acknowledged exists once, and nothing else.

  --faults N     how many faults; Ctrl-C ends them early, and the run then judges what was done
  --write        writes the figures of a run with faults to docs/reliability.md
  --sdk          the SDK of partners
  --webhooks N   how many different webhooks
  --rolling      a rolling restart of everything
  --upgrade      from an earlier version to this one, and back
  --from REF     the earlier version: a revision of Git, or the folder of a checkout that is built. The newest tag of an app before HEAD;
                 without tags, the last commit before HEAD that recorded docs/openapi/released
  --replicas N   replicas of each app with --rolling, --upgrade and --faults (2)
  --kills N      how many kills (60, with --sdk 20)
  --bus NAME     kafka or postgres (kafka)
  --rate N       purchases a second (10, with --faults 4), or deliveries of a flood (200)
  --users N      users with identity protection a second (0.5)
  --every MS     mean time between kills (2000, of a flood 5000, with --sdk 1000) or faults (250), or, with --rolling and --upgrade, between two
                 requests of each operation (250)
  --only NAMES   kills none but these processes: a comma list such as postgres,partner-gateway; with --upgrade, the apps to upgrade;
                 with --faults, the kinds of faults
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
      upgrade: { type: 'boolean', default: false },
      from: { type: 'string' },
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
  if ([values.rolling, values.upgrade, values.sdk, isFlood, hasFaults].filter(Boolean).length > 1)
    throw new TypeError('--rolling, --upgrade, --sdk, --webhooks and --faults are different runs');
  return {
    rolling: values.rolling,
    upgrade: values.upgrade,
    from: values.from ?? null,
    replicas: positive('replicas', values.replicas),
    webhooks: values.webhooks === undefined ? null : positive('webhooks', values.webhooks),
    faults: values.faults === undefined ? null : positive('faults', values.faults),
    write: values.write,
    sdk: values.sdk,
    kills: positive('kills', values.kills ?? (values.sdk ? '20' : '60')),
    bus: values.sdk ? 'postgres' : values.bus,
    rate: positive('rate', values.rate ?? (isFlood ? '200' : hasFaults ? '4' : '10')),
    users: positive('users', values.users),
    everyMs: positive(
      'every',
      values.every ?? defaultEvery(values.rolling || values.upgrade || hasFaults, isFlood, values.sdk),
    ),
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
