import type { Stored } from './stored';
import { type Acknowledged, isFaultless, judgeFaults } from './verdict';

const identity = { users: 1, abandoned: [], unreached: [], orphans: [] };
const arrival = (...ids: string[]) => ({ webhookIds: new Set(ids), requests: ids.length, firstAt: 0, lastAt: 0 });
const event = (topic: string, key: string, id: string, sequence: number | null = null) => ({
  topic,
  key,
  id,
  sequence,
});

const DONE: Acknowledged = {
  purchases: new Map([
    ['chaos_a', 1_000],
    ['chaos_b', 2_000],
  ]),
  fates: new Map([['chaos_b', 'refunded']]),
  batches: [{ batchId: 'batch', count: 3 }],
  forgedOids: ['forged_a'],
  refusedKeys: ['refused'],
  supportActs: ['krn:a', 'krn:a'],
  arrivals: new Map([
    ['chaos_a', arrival('1')],
    ['chaos_b', arrival('2')],
  ]),
  badSignatures: [],
  unexplained: [],
  identity,
  corrected: 0,
};
const STORED: Stored = {
  sales: new Map([
    ['chaos_a', 'qualified'],
    ['chaos_b', 'refunded'],
  ]),
  coupons: new Map([['batch', 3]]),
  idempotencyKeys: new Set(['accepted']),
  supportActs: new Map([['krn:a', 2]]),
  leftovers: new Map([['rows of partner.outbox', 0]]),
  events: ['a', 'b'].flatMap((one) => [
    event('sale.completed', `chaos_${one}`, `s${one}`, 1),
    event('postback.delivered', `chaos_${one}`, `p${one}`),
  ]),
};

/**
 * Returns the violations of a run that differs from a faultless run in the given values, each as `list: what: subject`.
 */
const findings = (done: Partial<Acknowledged>, stored: Partial<Stored> = {}): string[] => {
  const verdict = judgeFaults({ ...DONE, ...done }, { ...STORED, ...stored });
  return (['lost', 'twice', 'wrong'] as const).flatMap((list) =>
    verdict[list].map(({ what, subject }) => `${list}: ${what}: ${subject}`),
  );
};

describe('the verdict of a run with faults', () => {
  it('is faultless when everything that the platform acknowledged exists exactly once', () => {
    const verdict = judgeFaults(DONE, STORED);
    expect(isFaultless(verdict)).toBe(true);
    expect(verdict.acknowledged).toBe(2 + 1 + 1 + 2 + 1);
  });

  it.each<[string, Partial<Acknowledged>, Partial<Stored>]>([
    ['lost: sale: chaos_a', {}, { sales: new Map([['chaos_b', 'refunded']]) }],
    ['lost: postback: chaos_a', { arrivals: new Map([['chaos_b', arrival('2')]]) }, {}],
    ['lost: event sale.completed: chaos_a', {}, { events: STORED.events.slice(1) }],
    ['lost: refund or revocation: chaos_b', {}, { sales: new Map([...STORED.sales, ['chaos_b', 'qualified']]) }],
    ['lost: coupons: batch', {}, { coupons: new Map([['batch', 2]]) }],
    ['lost: audit entry of support: krn:a', {}, { supportActs: new Map([['krn:a', 1]]) }],
    ['lost: wanted state of a user at the vendor: krn:u', { identity: { ...identity, unreached: ['krn:u'] } }, {}],
    [
      'twice: postback under two ids: chaos_a',
      { arrivals: new Map([...DONE.arrivals, ['chaos_a', arrival('1', '3')]]) },
      {},
    ],
    [
      'twice: event sale.completed: chaos_a',
      {},
      { events: [...STORED.events, event('sale.completed', 'chaos_a', 'other', 1)] },
    ],
    ['twice: coupons: batch', {}, { coupons: new Map([['batch', 6]]) }],
    ['twice: batch of coupons: other', {}, { coupons: new Map([...STORED.coupons, ['other', 3]]) }],
    [
      'wrong: a forged webhook made a sale: forged_a',
      {},
      { sales: new Map([...STORED.sales, ['forged_a', 'qualified']]) },
    ],
    ['wrong: a refused request created coupons: refused', {}, { idempotencyKeys: new Set(['refused']) }],
    ['wrong: a postback with a wrong signature: x', { badSignatures: ['x'] }, {}],
    ['wrong: something is left: 2 rows of partner.outbox', {}, { leftovers: new Map([['rows of partner.outbox', 2]]) }],
    ['wrong: statistics differ from a count: 1 rows', { corrected: 1 }, {}],
    [
      'wrong: an event out of order: sale.revoked chaos_a r1',
      {},
      {
        events: [
          ...STORED.events,
          event('sale.revoked', 'chaos_a', 'r2', 2),
          event('sale.revoked', 'chaos_a', 'r1', 1),
        ],
      },
    ],
    [
      'wrong: a sale with another status than acknowledged: chaos_a',
      {},
      { sales: new Map([...STORED.sales, ['chaos_a', 'failed']]) },
    ],
  ])('reports %s', (finding, done, stored) => {
    expect(findings(done, stored)).toEqual([finding]);
  });

  it('accepts an event that was published again under the same id', () => {
    expect(findings({}, { events: [...STORED.events, ...STORED.events] })).toEqual([]);
  });
});
