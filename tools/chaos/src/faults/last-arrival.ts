import { setTimeout as sleep } from 'node:timers/promises';
import { arrivalOfAll } from '../outcome';
import { PurchaseStream, type PurchaseTarget } from '../purchases';
import type { Replica } from '../replica';
import type { Sink } from '../sink';
import type { World } from './world';

/** The apps that a sale passes from the webhook to the postback. */
const PATH_OF_A_SALE = ['webhook-ingest', 'partner-gateway', 'postback-dispatcher'];
const RATE = 10;
const BUYING_MS = 2_000;
/** Purchases go on for this time after the fault, so that some of them need what the broken replica owned. */
const BUYING_AFTER_FAULT_MS = 1_000;

/** The longest time from a kill or a stop of a replica to the arrival of the last postback, ms. */
export interface LastArrival {
  readonly afterKillMs: number;
  readonly afterStopMs: number;
  /** The purchases that this measurement made. */
  readonly purchases: PurchaseStream[];
}

/**
 * For each app on the path of a sale: kills one replica while purchases are made, and measures when the last postback
 * arrives.
 * Then does the same with replicas that are suspended until the end of their measurement. Returns the longest time over
 * these apps, for each of the two faults.
 */
export async function measureLastArrival(world: World, target: PurchaseTarget, sink: Sink): Promise<LastArrival> {
  console.log('one more kill and one more stop of each app on the path of a sale');
  const purchases: PurchaseStream[] = [];
  const arrivalAfter = async (breakIt: (replica: Replica) => void, repair: (replica: Replica) => void) => {
    let longest = 0;
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
      const last = Math.max(...stream.accepted.map(({ oid }) => sink.arrivals.get(oid)?.firstAt ?? Infinity));
      longest = Math.max(longest, last - brokenAt);
      console.log(`  ${app}: the last postback after ${((last - brokenAt) / 1_000).toFixed(2)} s`);
      repair(replica);
    }
    return longest;
  };
  const afterKillMs = await arrivalAfter(
    (replica) => replica.kill(),
    () => undefined,
  );
  const afterStopMs = await arrivalAfter(
    (replica) => replica.freeze(),
    (replica) => replica.thaw(),
  );
  await world.isReady();
  return { afterKillMs, afterStopMs, purchases };
}
