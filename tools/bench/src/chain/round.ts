import { latenciesOf, type Latencies } from '../delivery/latency';
import type { Bus } from '../processes/apps';
import type { Pace } from './generator';
import type { Sent } from './generator-main';
import { type Counts, sumOf } from '../processes/cpu';
import { type ChainStack, PLATFORM } from './stack';

const ARRIVAL_MS = 300_000;
/**
 * The apps count as idle while all of them together use less than this share of a core. On Kafka the share is larger,
 * because idle consumers poll.
 */
const QUIET_SHARE: Record<Bus, number> = { postgres: 0.15, kafka: 0.3 };
const QUIET_MS = 1_000;
const QUIET_TIMEOUT_MS = 60_000;
/** The time after which the statistics of Postgres include the work of every session, even of an idle one. */
const STATISTICS_MS = 10_500;

/** The throughput and the latencies of a number of sales. */
export interface Run {
  readonly salesPerSecond: number;
  readonly fromSending: Latencies;
  readonly fromAnswer: Latencies;
  /** The number of answers with 503. After each of them, the webhook was sent again. */
  readonly refused: number;
}

/** The cost of a run: all values except `idleShare` are per sale. */
export interface Cost {
  /** CPU milliseconds by process. */
  readonly cpuMs: Counts;
  readonly commits: number;
  /** Kilobytes of write-ahead log. */
  readonly walKb: number;
  /** How often threads of the apps and of Postgres were woken; null when this is not measured. */
  readonly wakeUps: number | null;
  /** The share of a core that the apps and Postgres used while they were idle before the first sale. */
  readonly idleShare: number | null;
}

/**
 * Sends purchases and waits for their postbacks.
 * @throws when a postback does not arrive, or arrives twice
 */
export async function runSales(stack: ChainStack, count: number, pace: Pace): Promise<Run> {
  await stack.generator.prepare(stack.preparation(count));
  return sendPrepared(stack, count, pace);
}

/** Runs sales and measures their cost, including the work that the apps do after the last postback. */
export async function runWithCost(stack: ChainStack, count: number, pace: Pace): Promise<Run & Cost> {
  await stack.generator.prepare(stack.preparation(count));
  await quiet(stack);
  const idleShare = await idleShareOf(stack);
  const [before, written, woken] = [stack.cpu(), await writtenBy(stack), stack.wakeUps()];
  const run = await sendPrepared(stack, count, pace);
  await quiet(stack);
  const [after, wokenAfter] = [stack.cpu(), stack.wakeUps()];
  await pause(STATISTICS_MS);
  const { commits, walBytes } = await writtenBy(stack);
  const cpuMs = Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, differenceOf(ms, before[name] ?? null, count)]),
  );
  return {
    ...run,
    cpuMs,
    commits: (commits - written.commits) / count,
    walKb: (walBytes - written.walBytes) / 1024 / count,
    wakeUps: differenceOf(wokenAfter, woken, count),
    idleShare,
  };
}

/**
 * Measures for 10.5 s how much CPU time an idle stack uses for its sweeps, measurements and polls.
 * @returns the share of a core; null when the CPU time is not known
 */
export async function idleShareOf(stack: ChainStack): Promise<number | null> {
  const used = (): number | null => sumOf(stack.cpu(), PLATFORM);
  const [before, at] = [used(), performance.now()];
  await pause(STATISTICS_MS);
  return differenceOf(used(), before, performance.now() - at);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const differenceOf = (after: number | null, before: number | null, count: number): number | null =>
  after === null || before === null ? null : (after - before) / count;

async function sendPrepared({ generator, sink }: ChainStack, count: number, pace: Pace): Promise<Run> {
  await sink.take();
  const [{ sent, refused }] = await Promise.all([generator.send(pace), sink.waitFor(count, ARRIVAL_MS)]);
  const { at, atBySale, repeated } = await sink.take();
  if (repeated > 0 || at.size !== atBySale.size) {
    throw new Error(`${repeated + at.size - atBySale.size} postbacks arrived more than once`);
  }
  const lost = sent.filter(([oid]) => !atBySale.has(oid)).length;
  if (lost > 0) throw new Error(`${lost} of ${count} sales have no postback, and postbacks arrived for unknown sales`);
  return { ...timesOf(sent, atBySale), refused };
}

function timesOf(sent: readonly Sent[], arrivedAt: ReadonlyMap<string, number>): Omit<Run, 'refused'> {
  const first = sent.reduce((earliest, [, sentAt]) => Math.min(earliest, sentAt), Infinity);
  const last = [...arrivedAt.values()].reduce((latest, at) => Math.max(latest, at), 0);
  const arrivalOf = (oid: string): number => arrivedAt.get(oid) ?? NaN;
  return {
    salesPerSecond: (1000 * sent.length) / (last - first),
    fromSending: latenciesOf(sent.map(([oid, sentAt]) => arrivalOf(oid) - sentAt)),
    fromAnswer: latenciesOf(sent.map(([oid, , answeredAt]) => arrivalOf(oid) - answeredAt)),
  };
}

/** Waits until the apps are idle. If their CPU time is not known, waits only for a second. @throws after a minute */
async function quiet(stack: ChainStack): Promise<void> {
  const used = (): number => {
    const cpu = stack.cpu();
    return stack.apps.reduce((sum, [name]) => sum + (cpu[name] ?? 0), 0);
  };
  for (const deadline = Date.now() + QUIET_TIMEOUT_MS; ;) {
    const before = used();
    await pause(QUIET_MS);
    if (used() - before < QUIET_SHARE[stack.bus] * QUIET_MS) return;
    if (Date.now() > deadline) throw new Error('the apps did not become idle in 60 s');
  }
}

async function writtenBy({ client }: ChainStack): Promise<{ commits: number; walBytes: number }> {
  const { rows } = await client.query<{ commits: number; walBytes: number }>(
    `select xact_commit::float8 as commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "walBytes"
     from pg_stat_database where datname = current_database()`,
  );
  return rows[0] as { commits: number; walBytes: number };
}
