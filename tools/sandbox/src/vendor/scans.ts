import type { VendorUser } from './vendor-user';

const SECOND_MS = 1_000;
const DAY_MS = 24 * 3_600 * SECOND_MS;

/** The planned course of a scan of data brokers. Times are relative to the request for sample data. */
interface Plan {
  id: string;
  scanType: 'full' | 'rescan' | 'realtime';
  createdMs: number;
  startMs: number;
  stopMs: number;
  end: 'completed' | 'failed' | 'stopped';
  brokerCount: number;
  records: number;
  /** The approximate average time that a record stays in each stage before the last: not initiated, submitted, confirmed. */
  stageMs: number;
}

/**
 * The scans of the sample data, newest last. Three ended days before the request for sample data, and two run in the first two minutes
 * after it.
 */
const PLANS: readonly Plan[] = [
  {
    id: 'full',
    scanType: 'full',
    createdMs: -30 * DAY_MS,
    startMs: -30 * DAY_MS + 60 * SECOND_MS,
    stopMs: -30 * DAY_MS + 3_600 * SECOND_MS,
    end: 'completed',
    brokerCount: 40,
    records: 40,
    stageMs: 12 * DAY_MS,
  },
  {
    id: 'failed',
    scanType: 'rescan',
    createdMs: -9 * DAY_MS,
    startMs: -9 * DAY_MS + 60 * SECOND_MS,
    stopMs: -9 * DAY_MS + 90 * SECOND_MS,
    end: 'failed',
    brokerCount: 40,
    records: 0,
    stageMs: DAY_MS,
  },
  {
    id: 'stopped',
    scanType: 'rescan',
    createdMs: -8 * DAY_MS,
    startMs: -8 * DAY_MS + 60 * SECOND_MS,
    stopMs: -8 * DAY_MS + 600 * SECOND_MS,
    end: 'stopped',
    brokerCount: 20,
    records: 6,
    stageMs: 6 * DAY_MS,
  },
  {
    id: 'rescan',
    scanType: 'rescan',
    createdMs: 0,
    startMs: 2 * SECOND_MS,
    stopMs: 60 * SECOND_MS,
    end: 'completed',
    brokerCount: 40,
    records: 12,
    stageMs: 30 * SECOND_MS,
  },
  {
    id: 'realtime',
    scanType: 'realtime',
    createdMs: 0,
    startMs: 30 * SECOND_MS,
    stopMs: 120 * SECOND_MS,
    end: 'completed',
    brokerCount: 8,
    records: 5,
    stageMs: 60 * SECOND_MS,
  },
];

/** Returns the scans with their status at `now`, newest first. Each is pending, then running, then ended. */
export const scansOf = (user: VendorUser, now: Date): object[] =>
  begun(user, now)
    .map(({ plan, since, elapsedMs }) => {
      const at = (ms: number): string | null => (elapsedMs >= ms ? new Date(since + ms).toISOString() : null);
      const createdAt = new Date(since + plan.createdMs).toISOString();
      return {
        id: idOf(user, plan),
        customerId: user.clientKey,
        enrollmentId: enrollmentOf(user),
        brokerCount: plan.brokerCount,
        brokerIds: Array.from({ length: plan.brokerCount }, (_, index) => `broker-${index + 1}`),
        realtime: plan.scanType === 'realtime',
        scanType: plan.scanType,
        status: elapsedMs < plan.startMs ? 'pending' : elapsedMs < plan.stopMs ? 'running' : plan.end,
        createdAt,
        modifiedAt: at(plan.stopMs) ?? at(plan.startMs) ?? createdAt,
        startedAt: at(plan.startMs),
        stoppedAt: at(plan.stopMs),
      };
    })
    .reverse();

/** Returns, for each scan, newest first, how many records are in each of four stages. The counts add up to all records that the scan found. */
export const recordsOf = (user: VendorUser, now: Date): object[] =>
  begun(user, now)
    .map(({ plan, elapsedMs }) => {
      const stages = stagesOf(plan, elapsedMs);
      const count = (stage: number): number => stages.filter((one) => one === stage).length;
      return {
        scanId: idOf(user, plan),
        totalRecords: stages.length,
        notInitiated: count(0),
        submitted: count(1),
        confirmed: count(2),
        verified: count(3),
      };
    })
    .reverse();

const begun = ({ sampleSince }: VendorUser, now: Date) => {
  if (sampleSince === undefined) return [];
  const since = Date.parse(sampleSince);
  return PLANS.map((plan) => ({ plan, since, elapsedMs: now.getTime() - since }));
};

const idOf = ({ clientKey }: VendorUser, { id }: Plan): string => `scan-${id}-${clientKey.slice(0, 8)}`;

const enrollmentOf = ({ enrollments, clientKey }: VendorUser): string =>
  enrollments.find(({ productCode }) => productCode === 'DATA_REMOVAL')?.enrollmentId ?? `enr-${clientKey.slice(0, 8)}`;

/** Returns the stage (0 to 3) of each record that the scan has found so far. A scan finds its records at equal intervals. */
function stagesOf({ records, startMs, stopMs, stageMs }: Plan, elapsedMs: number): number[] {
  const foundMs = Array.from({ length: records }, (_, index) => startMs + ((index + 1) / records) * (stopMs - startMs));
  return foundMs
    .filter((ms) => ms <= elapsedMs)
    .map((ms, index) => {
      // Each record has its own speed, because real removals take different times.
      const ownStageMs = stageMs * (0.5 + (index + 1) / records);
      return Math.min(3, Math.floor((elapsedMs - ms) / ownStageMs));
    });
}
