import { setTimeout as sleep } from 'node:timers/promises';
import { arrivalOfAll } from '../outcome';
import { PurchaseStream, type PurchaseTarget } from '../purchases';
import type { Replica } from '../replica';
import type { Sink } from '../sink';
import type { World } from './world';

/** The apps through which a sale passes, from its webhook to its postback. */
const PATH_OF_A_SALE = ['webhook-ingest', 'partner-gateway', 'postback-dispatcher'];
const RATE = 10;
const BUYING_MS = 2_000;
/**
 * Purchases continue for this time after the fault, so that some of them depend on a lease or a partition that the
 * broken replica held.
 */
const BUYING_AFTER_FAULT_MS = 1_000;

/** The longest time until a postback arrived, ms. */
export interface ArrivalTime {
  /** Counted from the fault. */
  readonly sinceFaultMs: number;
  /**
   * Counted from the fault or, if this is later, from the acknowledgment of the purchase. This excludes the time in which the
   * sender of the webhook waited for the broken replica to answer, before it sent the webhook again.
   */
  readonly sinceAcceptanceMs: number;
}

/** The longest times after a replica was killed, and after a replica was suspended. */
export interface LastArrival {
  readonly afterKill: ArrivalTime;
  readonly afterStop: ArrivalTime;
  /** The purchases that this measurement made. */
  readonly purchases: PurchaseStream[];
}

/**
 * For each app on the path of a sale, kills one replica while purchases are made, and measures how long the postbacks
 * take to arrive. Then does the same with a replica that is not killed but suspended until the end of the measurement.
 * Returns the longest time over all apps for each of the two faults.
 */
export async function measureLastArrival(world: World, target: PurchaseTarget, sink: Sink): Promise<LastArrival> {
  console.log('one more kill and one more stop of each app on the path of a sale');
  const purchases: PurchaseStream[] = [];
  const arrivalAfter = async (
    breakIt: (replica: Replica) => void,
    repair: (replica: Replica) => void,
  ): Promise<ArrivalTime> => {
    let sinceFaultMs = 0;
    let sinceAcceptanceMs = 0;
    for (const app of PATH_OF_A_SALE) {
      const replica = world.replica(`${app} 1`);
      await world.isReady();
      const stream = new PurchaseStream(target);
      purchases.push(stream);
      stream.start(RATE);
      await sleep(BUYING_MS);
      const brokenAt = Date.now();
      breakIt(replica);
      await sleep(BUYING_AFTER_FAULT_MS);
      await stream.finish();
      await arrivalOfAll(stream, sink);
      const arrivals = stream.accepted.map(({ oid, acceptedAt = 0 }) => ({
        at: sink.arrivals.get(oid)?.firstAt ?? Infinity,
        acceptedAt,
      }));
      const last = Math.max(...arrivals.map(({ at }) => at - brokenAt));
      const platform = Math.max(...arrivals.map(({ at, acceptedAt }) => at - Math.max(brokenAt, acceptedAt)));
      sinceFaultMs = Math.max(sinceFaultMs, last);
      sinceAcceptanceMs = Math.max(sinceAcceptanceMs, platform);
      console.log(
        `  ${app}: the last postback after ${seconds(last)} s, at most ${seconds(platform)} s after its purchase was acknowledged`,
      );
      repair(replica);
    }
    return { sinceFaultMs, sinceAcceptanceMs };
  };
  const afterKill = await arrivalAfter(
    (replica) => replica.kill(),
    () => undefined,
  );
  const afterStop = await arrivalAfter(
    (replica) => replica.freeze(),
    (replica) => replica.thaw(),
  );
  await world.isReady();
  return { afterKill, afterStop, purchases };
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(2);
