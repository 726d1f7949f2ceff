import { UserStream } from '../identity/users';
import { isReached } from '../identity/verdict';
import type { ChaosOptions } from '../../options';
import { arrivalOfAll, enrollmentOfAll, salesIn, withClient } from '../outcome';
import { PurchaseStream } from '../purchases';
import { failureList, findings, identityFindings, identityTable, loadTable, rollingTable } from '../report';
import type { Sink } from '../sink';
import type { ChaosStack } from '../stack';
import { judge } from '../verdict';
import { Fleet, type FleetOptions } from './fleet';
import { COUPONS, CREATION, operationsOf } from './operations';
import { type OperationCount, RequestLoad } from './request-load';
import { isUnnoticed, type RollingVerdict } from './verdict';

/** How long the load runs before the work starts and after it has ended, and how long the run waits before it judges the effects. */
const CALM_MS = 3_000;
const POLICIES = ['CHECKOUT', 'READ', 'WRITE', 'VOUCHER_CREATE', 'CLIENT', 'ONBOARDING', 'DASHBOARD'];
/** Rate limits that no run reaches. */
export const UNLIMITED = Object.fromEntries(POLICIES.map((policy) => [`RATE_LIMIT_${policy}_PER_MINUTE`, '1000000']));
/** The settings for apps behind a load balancer (see docs/releases.md), with rate limits that no run reaches. */
const ENVIRONMENT = {
  ...UNLIMITED,
  SHUTDOWN_DELAY_MS: '5000',
};

interface Streams {
  readonly purchases: PurchaseStream;
  readonly users: UserStream;
  readonly load: RequestLoad;
}

/**
 * Runs every app as `options.replicas` replicas, and calls all APIs while `work` replaces replicas. Then prints the counts.
 *
 * @param work replaces the replicas, and returns a table to print
 * @returns true when no request failed, and nothing was lost or done twice
 */
export async function isUnnoticedUnderLoad(
  options: ChaosOptions,
  stack: ChaosStack,
  sink: Sink,
  fleetOptions: Partial<FleetOptions>,
  work: (fleet: Fleet, load: RequestLoad) => Promise<string>,
): Promise<boolean> {
  const fleet = await Fleet.start(stack, { replicasOf: () => options.replicas, env: ENVIRONMENT, ...fleetOptions });
  try {
    console.log(`${fleet.size} replicas are ready`);
    const streams = {
      purchases: new PurchaseStream(await stack.usePostbackEndpoint(await sink.listen())),
      users: new UserStream(stack.identityTarget),
      load: new RequestLoad(await operationsOf(stack)),
    };
    const couponsBefore = await countCoupons(stack);
    const done = await underLoad(streams, options, () => work(fleet, streams.load));
    const { purchases, users, load } = streams;
    console.log(`all ${purchases.accepted.length} purchases are accepted; waiting for their postbacks`);
    const [identity] = await Promise.all([enrollmentOfAll(users), arrivalOfAll(purchases, sink)]);
    // The second effect of a request may come late, so the run waits before it reads and judges the effects.
    await pause(CALM_MS);
    const sales = judge(purchases.accepted, await salesIn(stack.postgresUrl), sink.arrivals);
    const counts = [...load.counts, paymentsOf(purchases)];
    const verdict: RollingVerdict = {
      sales,
      failures: counts.flatMap(({ name, failures }) => failures.map((text) => `${name}: ${text}`)),
      coupons: { expected: answeredOf(counts, CREATION) * COUPONS, found: (await countCoupons(stack)) - couponsBefore },
      deadLetters: await countDeadLetters(stack),
      crashes: fleet.crashes,
      killed: fleet.killed,
    };
    console.log(`\n${done}\n\n${loadTable(counts)}\n\n${rollingTable(verdict)}\n${findings(sales)}`);
    console.log(failureList(counts));
    console.log(`${identityTable(identity)}\n${identityFindings(identity)}`);
    const passed = isUnnoticed(verdict) && isReached(identity);
    console.log(passed ? 'chaos passed' : 'chaos FAILED');
    return passed;
  } finally {
    await fleet.stop();
  }
}

/** Resolves when the work is done and all requests are answered. */
async function underLoad<T>({ purchases, users, load }: Streams, options: ChaosOptions, work: () => Promise<T>) {
  load.start(options.everyMs);
  purchases.start(options.rate);
  await users.start(options.users);
  try {
    await pause(CALM_MS);
    const done = await work();
    await pause(CALM_MS);
    return done;
  } finally {
    await Promise.all([load.finish(), purchases.finish(), users.finish()]);
  }
}

/**
 * Counts the requests that sent webhooks of purchases. A webhook that was sent more than once counts as one failure, because its first attempt was
 * not answered with 200.
 */
function paymentsOf({ purchases }: PurchaseStream): OperationCount {
  const requests = purchases.reduce((sum, { tries }) => sum + tries, 0);
  const failures = purchases.filter(({ tries }) => tries > 1).map(({ oid, tries }) => `${oid} took ${tries} attempts`);
  return { name: "billing's webhook", requests, failures };
}

/** Returns how many requests of an operation succeeded. */
function answeredOf(counts: readonly OperationCount[], operation: string): number {
  const { requests = 0, failures = [] } = counts.find(({ name }) => name === operation) ?? {};
  return requests - failures.length;
}

const countCoupons = ({ postgresUrl, file }: ChaosStack): Promise<number> =>
  countRows(postgresUrl, 'select count(*)::int as count from voucher.coupon where group_id = $1', [
    file.partners.voucher.voucherGroupId,
  ]);

const countDeadLetters = ({ postgresUrl }: ChaosStack): Promise<number> =>
  countRows(
    postgresUrl,
    `select (${['idp', 'partner', 'voucher', 'postback'].map((schema) => `(select count(*)::int from ${schema}.dead_letter)`).join(' + ')}) as count`,
  );

const countRows = (url: string, sql: string, parameters: unknown[] = []): Promise<number> =>
  withClient(url, async (client) => (await client.query<{ count: number }>(sql, parameters)).rows[0]?.count ?? 0);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
