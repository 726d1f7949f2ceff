import { Logger } from '@nestjs/common';
import type { AttemptResult } from './dispatch-types';
import type { ResultRepository } from './result.repository';
import { ResultWriter } from './result-writer';

const resultOf = (id: string, response: string | null): AttemptResult => ({
  delivery: {
    id,
    oid: `oid-${id}`,
    partnerId: 'p',
    environment: 'live',
    kind: 'sale',
    body: '{}',
    createdAt: 0,
    eventId: 'e',
    traceparent: null,
    attemptCount: 0,
    attemptsBeforeReplay: 0,
  },
  outcome: {
    startedAt: 0,
    latencyMs: 1,
    status: 200,
    stage: null,
    detail: null,
    timedOut: false,
    response,
    retryAfter: null,
  },
  verdict: { status: 'delivered' },
});

describe('the writer of results', () => {
  /** Returns a writer with a fake repository that rejects some results. */
  const writerThatRefuses = (refuses: (result: AttemptResult) => boolean) => {
    const stored: AttemptResult[] = [];
    const store = (results: readonly AttemptResult[]): Promise<Set<string>> => {
      if (results.some(refuses)) return Promise.reject(new Error('no such text'));
      stored.push(...results);
      return Promise.resolve(new Set(results.map(({ delivery }) => delivery.id)));
    };
    const writer = new ResultWriter({ store } as unknown as ResultRepository, { waitMs: 1, batchMax: 10 });
    const told: [string, boolean][] = [];
    const add = (...results: AttemptResult[]): void => {
      for (const result of results) {
        writer.add({ result, change: null, stored: (accepted) => told.push([result.delivery.id, accepted]) });
      }
    };
    return { writer, add, stored, told };
  };

  it('stores a rejected result without the answer’s body, and the other results of the batch unchanged', async () => {
    const { writer, add, stored, told } = writerThatRefuses(({ outcome }) => outcome.response === 'unstorable');
    add(resultOf('a', 'fine'), resultOf('b', 'unstorable'), resultOf('c', null));
    await writer.drained();
    expect(stored.map(({ delivery, outcome }) => [delivery.id, outcome.response])).toEqual([
      ['a', 'fine'],
      ['b', null],
      ['c', null],
    ]);
    expect(told).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
    ]);
  });

  it('reports a result that is rejected even without the answer’s body, and stores the other results of the batch', async () => {
    const { writer, add, stored, told } = writerThatRefuses(({ delivery }) => delivery.id === 'b');
    add(resultOf('a', 'fine'), resultOf('b', 'any'), resultOf('c', null));
    await writer.drained();
    expect(stored.map(({ delivery }) => delivery.id)).toEqual(['a', 'c']);
    expect(told).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ]);
  });

  it('logs a long wait, but does not pause sending, while another transaction locks rows that must be updated to store the results', async () => {
    const locked = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    let timeouts = 7;
    const paused: boolean[] = [];
    const store = (): Promise<ReadonlySet<string>> => {
      paused.push(writer.paused);
      return timeouts-- > 0 ? Promise.reject(locked) : Promise.resolve(new Set());
    };
    const repository = { store, storeUnlocked: store } as unknown as ResultRepository;
    const writer: ResultWriter = new ResultWriter(repository, { waitMs: 1, batchMax: 10 });
    writer.add({ result: resultOf('a', null), change: null, stored: () => undefined });
    await writer.drained();
    expect(paused).toEqual(Array.from({ length: 8 }, () => false));
    expect(warn.mock.calls).toEqual([[{ msg: 'results wait for locked rows', reason: locked.message }]]);
    warn.mockRestore();
  });

  it('warns once about a delivery that stays locked, but not about deliveries that are locked briefly', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const now = performance.now.bind(performance);
    let retries = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 3_000 * retries);
    const store = (): Promise<void> => Promise.reject(Object.assign(new Error('lock timeout'), { code: '55P03' }));
    // `a` is locked during the first 8 writes, and each other delivery during its first two.
    const writes = new Map<string, number>();
    const countWrite = (id: string): number => {
      writes.set(id, (writes.get(id) ?? 0) + 1);
      return writes.get(id) ?? 0;
    };
    const storeUnlocked = (results: readonly AttemptResult[]): Promise<ReadonlySet<string>> => {
      if (retries++ < 8) add(String(retries));
      const isLocked = (id: string): boolean => countWrite(id) <= (id === 'a' ? 8 : 2);
      const locked = results.map(({ delivery }) => delivery.id).filter(isLocked);
      return Promise.resolve(new Set(locked));
    };
    const repository = { store, storeUnlocked } as unknown as ResultRepository;
    const writer = new ResultWriter(repository, { waitMs: 1, batchMax: 10 });
    const told: string[] = [];
    const add = (id: string): void =>
      writer.add({ result: resultOf(id, null), change: null, stored: () => told.push(id) });
    add('a');
    await writer.drained();
    expect(told.sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', 'a']);
    expect(warn.mock.calls).toEqual([
      [{ msg: 'results wait for locked rows', count: 1, deliveryId: 'a', oid: 'oid-a' }],
    ]);
    for (const spy of [warn, clock]) spy.mockRestore();
  });
});
