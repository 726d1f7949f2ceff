import type { AttemptResult } from './dispatch.types';
import type { ResultRepository } from './result.repository';
import { ResultWriter } from './result.writer';

const resultOf = (id: string, response: string | null): AttemptResult => ({
  delivery: {
    id,
    oid: `oid-${id}`,
    partnerId: 'p',
    environment: 'live',
    body: '{}',
    createdAt: 0,
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
  it('stores a result that is refused without the words of the endpoint, and the others of its batch as they are', async () => {
    const stored: AttemptResult[] = [];
    const store = (results: readonly AttemptResult[]): Promise<Set<string>> => {
      if (results.some(({ outcome }) => outcome.response === 'unstorable'))
        return Promise.reject(new Error('no such text'));
      stored.push(...results);
      return Promise.resolve(new Set(results.map(({ delivery }) => delivery.id)));
    };
    const writer = new ResultWriter(
      { store } as unknown as ResultRepository,
      'r',
      { waitMs: 1, batchMax: 10 },
      () => undefined,
    );
    const counted: string[] = [];
    for (const result of [resultOf('a', 'fine'), resultOf('b', 'unstorable'), resultOf('c', null)]) {
      writer.add({ result, change: null, stored: (counts) => counts && counted.push(result.delivery.id) });
    }
    await writer.drained();
    expect(stored.map(({ delivery, outcome }) => [delivery.id, outcome.response])).toEqual([
      ['a', 'fine'],
      ['b', null],
      ['c', null],
    ]);
    expect(counted).toEqual(['a', 'b', 'c']);
  });
});
