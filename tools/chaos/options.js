/**
 * This file is plain JavaScript and uses no packages, because `npm run chaos` reads its options before it installs or builds anything. options.d.ts
 * has the types.
 */
const { APPS } = require('../../apps/apps');
const { parseOptions } = require('../options/parse-options');

exports.USAGE = `npm run chaos -- [options]

Without --webhooks, --rolling, --upgrade, --sdk and --faults, the run sends purchases at a steady rate to a stack of its own, and kills random
processes of that stack with SIGKILL. At the same time users create profiles, and then keep or delete them, or get a refund. At the end every
accepted webhook must have exactly one sale, and every qualified sale its postback under one webhook-id. At the vendor exactly the wanted
enrollments must be active, and every user that the vendor has must have a profile on the platform.

With --webhooks, the run sends a flood of webhooks instead: N webhooks of billing and of the identity vendor, shuffled, 30 % of them twice, go to two
processes of webhook-ingest. One of the two is killed about every 5 s. At the end every webhook must be stored once, every event of a
subscription must have been handled once, and every subscription must have the state that its newest events determine.

With --rolling, each app has several replicas behind one address. The run calls every API all the time and replaces each replica of each app: it
waits until a new replica is ready before it stops the old one. No request may fail, nothing may be lost, and no postback may be sent twice.

With --upgrade, the same load runs while versions change. At first the data and all apps have an earlier version. Then the schemas are migrated to
this version, and one app after the other changes to this version, back, and to this version again. Finally all apps change back in reverse order,
and then to this version again. This takes about 12 minutes with 2 replicas. The earlier version is built once, in .tandem/versions, which takes
a few minutes.

With --sdk, the partner SDK creates vouchers and revokes sales while partner-gateway is killed. No call may fail or hang, and exactly the vouchers
and revocations that the calls returned must be stored. This run uses the postgres bus, and counts the events of revocations on it.

With --faults, processes are not only killed: they also stop for a while and continue, run out of memory, or have a wrong clock. Networks are cut,
slow, half open or reset. Postgres crashes, fails over or has a full disk. Brokers are killed, lose their leadership or have a full disk. Purchases,
refunds, revocations, coupons, users and acts of support continue all the time. At the end everything that was acknowledged must exist once, and
nothing else may exist.

  --faults N     a run with N faults of all kinds; Ctrl-C ends the faults early, and the run then checks what was done until then
  --write        with --faults: writes the figures of the run to docs/reliability.md
  --sdk          a run with the partner SDK
  --webhooks N   a flood of N different webhooks
  --rolling      a rolling restart of all apps
  --upgrade      an upgrade from an earlier version to this one, and back
  --from REF     with --upgrade: the earlier version, as a revision of Git or the folder of a built checkout; default: the newest tag of an app
                 before HEAD or, without tags, the last commit before HEAD that recorded docs/openapi/released
  --replicas N   with --rolling, --upgrade and --faults: replicas of each app (2)
  --kills N      number of kills (60; with --sdk 20)
  --bus NAME     kafka or postgres (kafka)
  --rate N       purchases a second (10; with --faults 4), or with --webhooks, deliveries a second (200)
  --users N      users with identity protection a second (0.5)
  --every MS     mean pause before a kill (2000; with --webhooks 5000, with --sdk 1000) or before a fault (250); with --rolling and --upgrade,
                 the minimum time between two requests of each operation (250)
  --only NAMES   a comma-separated list, such as postgres,partner-gateway, of the processes that may be killed; with --upgrade, of the apps to
                 upgrade; with --faults, of the kinds of faults
  --seed N       the same seed chooses the same victims in the same order (default: from the current time)
  --limit MS     in the run that the first paragraph describes: how long the platform may take to catch up after the last restart (10000)
`;

/** The options that choose the kind of the run. Without any of them, the run kills processes. */
const RUNS = ['rolling', 'upgrade', 'sdk', 'webhooks', 'faults'];

/** By option: the kinds of runs in which it has an effect. An option that is not listed here may be given for every kind. */
const RUNS_WITH = {
  kills: ['kills', 'sdk'],
  bus: ['kills', 'webhooks', 'rolling', 'upgrade', 'faults'],
  users: ['kills', 'rolling', 'upgrade', 'faults'],
  only: ['kills', 'sdk', 'upgrade', 'faults'],
  limit: ['kills'],
  replicas: ['rolling', 'upgrade', 'faults'],
  from: ['upgrade'],
  write: ['faults'],
};

/** @throws TypeError when an option was given that this run would ignore */
function checkEffects(values, run) {
  for (const [name, runs] of Object.entries(RUNS_WITH)) {
    if (values[name] === undefined || values[name] === false || runs.includes(run)) continue;
    if (run !== 'kills') throw new TypeError(`--${name} has no effect with --${run}`);
    throw new TypeError(`--${name} needs --${runs.join(' or --')}`);
  }
}

/** @param {string[]} argv @returns {import('./options').ChaosOptions | 'help'} */
exports.readOptions = (argv) => {
  const { values } = parseOptions({
    args: argv,
    options: {
      kills: { type: 'string' },
      faults: { type: 'string' },
      write: { type: 'boolean', default: false },
      sdk: { type: 'boolean', default: false },
      bus: { type: 'string' },
      webhooks: { type: 'string' },
      rolling: { type: 'boolean', default: false },
      upgrade: { type: 'boolean', default: false },
      from: { type: 'string' },
      replicas: { type: 'string' },
      rate: { type: 'string' },
      users: { type: 'string' },
      every: { type: 'string' },
      only: { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      limit: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const bus = values.bus ?? (values.sdk ? 'postgres' : 'kafka');
  if (bus !== 'kafka' && bus !== 'postgres') throw new TypeError(`--bus is kafka or postgres, not ${bus}`);
  const isFlood = values.webhooks !== undefined;
  const hasFaults = values.faults !== undefined;
  const [run = 'kills', other] = RUNS.filter((name) => values[name] !== undefined && values[name] !== false);
  if (other !== undefined)
    throw new TypeError('--rolling, --upgrade, --sdk, --webhooks and --faults are different runs');
  checkEffects(values, run);
  const only = values.only?.split(',') ?? (values.sdk ? ['partner-gateway'] : null);
  if (!hasFaults) checkProcesses(only, values.upgrade ? APP_NAMES : [...APP_NAMES, ...SERVERS]);
  return {
    rolling: values.rolling,
    upgrade: values.upgrade,
    from: values.from ?? null,
    replicas: count('replicas', values.replicas ?? '2'),
    webhooks: values.webhooks === undefined ? null : count('webhooks', values.webhooks),
    faults: values.faults === undefined ? null : count('faults', values.faults),
    write: values.write,
    sdk: values.sdk,
    kills: count('kills', values.kills ?? (values.sdk ? '20' : '60')),
    bus,
    rate: positive('rate', values.rate ?? (isFlood ? '200' : hasFaults ? '4' : '10')),
    users: positive('users', values.users ?? '0.5'),
    everyMs: positive(
      'every',
      values.every ?? defaultEvery(values.rolling || values.upgrade || hasFaults, isFlood, values.sdk),
    ),
    only,
    seed: wholeNumber('seed', values.seed),
    limitMs: positive('limit', values.limit ?? '10000'),
  };
};

function defaultEvery(isRolling, isFlood, isSdk) {
  if (isRolling) return '250';
  if (isFlood) return '5000';
  return isSdk ? '1000' : '2000';
}

function wholeNumber(name, text) {
  if (!/^\d{1,9}$/.test(text)) throw new TypeError(`--${name} is a whole number of at most 9 digits, not ${text}`);
  return Number(text);
}

function count(name, text) {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new TypeError(`--${name} is a whole number from 1 to 999999, not ${text}`);
  return Number(text);
}

/** The servers of the stack that may be killed in addition to the apps. */
const SERVERS = ['edge', 'postgres', 'kafka'];
const APP_NAMES = APPS.map(({ name }) => name);

/**
 * Checks the names of processes in `--only`. With `--faults`, the option names kinds of faults instead, which are checked when the faults are
 * planned.
 */
function checkProcesses(only, known) {
  const unknown = only?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`--only: no process is named "${unknown}"; the names are ${known.join(', ')}`);
}

function positive(name, text) {
  const value = /^\d{0,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : 0;
  if (value === 0) throw new TypeError(`--${name} is a positive number, not ${text}`);
  return value;
}
