import type { IdentityVerdict } from '../identity/verdict';
import type { Arrival } from '../sink';
import type { CreatedBatch, LaterFate } from './mixed-load';
import type { Stored } from './stored';

/** What the platform acknowledged during a run, and what the outside world received. */
export interface Acknowledged {
  /** Accepted purchases by `oid`, with the time when the webhook was accepted, Unix ms. */
  readonly purchases: ReadonlyMap<string, number>;
  readonly fates: ReadonlyMap<string, LaterFate>;
  readonly batches: readonly CreatedBatch[];
  readonly forgedOids: readonly string[];
  readonly refusedKeys: readonly string[];
  readonly supportActs: readonly string[];
  readonly arrivals: ReadonlyMap<string, Arrival>;
  readonly badSignatures: readonly string[];
  readonly unexplained: readonly string[];
  readonly identity: IdentityVerdict;
  /** The number of statistics rows that a recount corrected. */
  readonly corrected: number;
}

/** Something that must not happen, with its subject, such as an `oid`. */
export interface Violation {
  readonly what: string;
  readonly subject: string;
  /** The time when the purchase was accepted, or when the wrong answer came, Unix ms; undefined if it is not known. */
  readonly at?: number;
}

/**
 * The violations that a run has caused: lost effects, repeated effects and other errors. All lists are empty when the
 * platform kept every promise.
 */
export interface FaultsVerdict {
  readonly acknowledged: number;
  readonly lost: Violation[];
  readonly twice: Violation[];
  readonly wrong: Violation[];
}

/** Compares the acknowledged requests with the content of the stores. */
export function judgeFaults(done: Acknowledged, stored: Stored): FaultsVerdict {
  const { purchases, fates, batches, supportActs, arrivals, identity } = done;
  const sale = (what: string, oids: Iterable<string>): Violation[] =>
    [...oids].map((oid) => ({ what, subject: oid, at: purchases.get(oid) }));
  const all = [...purchases.keys()];
  const completed = idsByKey(stored, 'sale.completed');
  const delivered = idsByKey(stored, 'postback.delivered');
  return {
    acknowledged: purchases.size + fates.size + batches.length + supportActs.length + identity.users,
    lost: [
      ...sale(
        'sale',
        all.filter((oid) => !stored.sales.has(oid)),
      ),
      ...sale(
        'postback',
        all.filter((oid) => !arrivals.has(oid)),
      ),
      ...sale(
        'event sale.completed',
        all.filter((oid) => !completed.has(oid)),
      ),
      ...sale(
        'event postback.delivered',
        all.filter((oid) => arrivals.has(oid) && !delivered.has(oid)),
      ),
      ...sale(
        'refund or revocation',
        [...fates].filter(([oid, fate]) => stored.sales.get(oid) !== fate).map(([oid]) => oid),
      ),
      ...batches
        .filter(({ batchId, count }) => (stored.coupons.get(batchId) ?? 0) < count)
        .map(({ batchId }) => ({ what: 'coupons', subject: batchId })),
      ...lostActs(supportActs, stored.supportActs),
      ...identity.unreached.map((krn) => ({ what: 'wanted state of a user at the vendor', subject: krn })),
    ],
    twice: [
      ...sale(
        'postback under two ids',
        [...arrivals].filter(([, { webhookIds }]) => webhookIds.size > 1).map(([oid]) => oid),
      ),
      ...sale(
        'event sale.completed',
        all.filter((oid) => (completed.get(oid)?.size ?? 0) > 1),
      ),
      ...sale(
        'event postback.delivered',
        all.filter((oid) => (delivered.get(oid)?.size ?? 0) > 1),
      ),
      ...batches
        .filter(({ batchId, count }) => (stored.coupons.get(batchId) ?? 0) > count)
        .map(({ batchId }) => ({ what: 'coupons', subject: batchId })),
      ...batchesWithoutAnswer(batches, stored),
    ],
    wrong: [
      ...sale(
        'a forged webhook made a sale',
        done.forgedOids.filter((oid) => stored.sales.has(oid)),
      ),
      ...sale(
        'a postback without a purchase',
        [...arrivals.keys()].filter((oid) => oid.startsWith('chaos_') && !purchases.has(oid)),
      ),
      ...sale(
        'a sale with another status than acknowledged',
        all.filter((oid) => !fates.has(oid) && isClosed(stored.sales.get(oid))),
      ),
      ...done.refusedKeys
        .filter((key) => stored.idempotencyKeys.has(key))
        .map((key) => ({ what: 'a refused request created coupons', subject: key })),
      ...done.badSignatures.map((subject) => ({ what: 'a postback with a wrong signature', subject })),
      ...done.unexplained.map((subject) => ({
        what: 'an answer that no outage explains',
        subject,
        at: Date.parse(subject.slice(0, subject.indexOf(' '))),
      })),
      ...identity.abandoned.map((subject) => ({ what: 'a request of a user that never succeeded', subject })),
      ...identity.orphans.map((subject) => ({ what: 'a user of the vendor without a profile', subject })),
      ...outOfOrder(stored),
      ...[...stored.leftovers]
        .filter(([, count]) => count > 0)
        .map(([name, count]) => ({ what: 'something is left', subject: `${count} ${name}` })),
      ...(done.corrected > 0 ? [{ what: 'statistics differ from a count', subject: `${done.corrected} rows` }] : []),
    ],
  };
}

export const isFaultless = ({ lost, twice, wrong }: FaultsVerdict): boolean =>
  lost.length + twice.length + wrong.length === 0;

const isClosed = (status: string | undefined): boolean => status !== undefined && status !== 'qualified';

/** Returns the ids of a topic's events by key. An event that was published again has the same id. */
function idsByKey({ events }: Stored, topic: string): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const event of events) {
    if (event.topic === topic) ids.set(event.key, (ids.get(event.key) ?? new Set()).add(event.id));
  }
  return ids;
}

/**
 * Returns the users with fewer audit entries than acknowledged acts of support. More entries are correct, because an
 * act can be repeated.
 */
function lostActs(acts: readonly string[], stored: ReadonlyMap<string, number>): Violation[] {
  const expected = new Map<string, number>();
  for (const krn of acts) expected.set(krn, (expected.get(krn) ?? 0) + 1);
  return [...expected]
    .filter(([krn, count]) => (stored.get(krn) ?? 0) < count)
    .map(([krn]) => ({ what: 'audit entry of support', subject: krn }));
}

/**
 * Returns the coupon batches that no acknowledged request created. There must be none: each request is repeated under
 * its idempotency key until it is acknowledged.
 */
function batchesWithoutAnswer(batches: readonly CreatedBatch[], { coupons }: Stored): Violation[] {
  const known = new Set(batches.map(({ batchId }) => batchId));
  return [...coupons.keys()].filter((id) => !known.has(id)).map((id) => ({ what: 'batch of coupons', subject: id }));
}

/**
 * Returns the events whose version is lower than that of an earlier event with the same key and topic. Ignores events
 * that were published again.
 */
function outOfOrder({ events }: Stored): Violation[] {
  const newest = new Map<string, number>();
  const seen = new Set<string>();
  const violations: Violation[] = [];
  for (const { topic, key, id, sequence } of events) {
    if (sequence === null || seen.has(id)) continue;
    seen.add(id);
    const name = `${topic} ${key}`;
    if (sequence < (newest.get(name) ?? 0))
      violations.push({ what: 'an event out of order', subject: `${name} ${id}` });
    newest.set(name, Math.max(sequence, newest.get(name) ?? 0));
  }
  return violations;
}
