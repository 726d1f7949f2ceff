import { TopicSends, type TopicSendsContext } from '../src/outbox/topic-sends';
import type { OutboxRow } from '../src/outbox/outbox.repository';

const ROW = { id: '1', topic: 'notes', key: 'k', value: Buffer.from('{}'), headers: {} } as OutboxRow;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const logger = { log: jest.fn(), warn: jest.fn() };

/** Returns sends to a bus that publishes by the given function. */
function sendsTo(publish: () => Promise<void>, given: Partial<TopicSendsContext> = {}): TopicSends {
  return new TopicSends({
    bus: { publisher: { publish } } as unknown as TopicSendsContext['bus'],
    options: { bus: 'kafka' },
    logger,
    remove: async () => undefined,
    mayPublish: () => true,
    onReady: () => undefined,
    ...given,
  });
}

describe('sends of topics', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    jest.resetAllMocks();
  });

  it('request no read while a failed topic is being resent', async () => {
    let answer = (): void => undefined;
    const answers = [
      () => Promise.reject(new Error('no leader')),
      () => new Promise<void>((resolve) => (answer = resolve)),
    ];
    const sends = sendsTo(() => answers.shift()?.() ?? Promise.resolve());
    sends.start('notes', [ROW], false);
    await settled();
    expect(sends.backoffMs).toBeGreaterThan(0);
    sends.start('notes', [ROW], false);
    expect(sends.backoffMs).toBe(Infinity);
    expect(sends.isIdle).toBe(false);
    answer();
    await sends.settled();
    expect(sends.isIdle).toBe(true);
  });

  it('forget the failure of a topic that has no more rows in the outbox', async () => {
    const sends = sendsTo(() => Promise.reject(new Error('no leader')));
    sends.start('notes', [ROW], false);
    await settled();
    sends.keepFailuresOf(['notes']);
    expect(sends.isIdle).toBe(false);
    sends.keepFailuresOf(['others']);
    expect([sends.isIdle, sends.backoffMs]).toEqual([true, Infinity]);
  });

  it('read a topic again after its backoff when the clock of the host has stepped back', async () => {
    const sends = sendsTo(() => Promise.reject(new Error('no leader')));
    sends.start('notes', [ROW], false);
    await settled();
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 600_000);
    expect(sends.excludedTopics()).toEqual(['notes']);
    expect(sends.backoffMs).toBeLessThanOrEqual(120);
    await new Promise((resolve) => setTimeout(resolve, sends.backoffMs + 5));
    expect(sends.excludedTopics()).toEqual([]);
  });

  it('exclude a topic whose published rows cannot be removed, but let no other process lead', async () => {
    const sends = sendsTo(() => Promise.resolve(), { remove: () => Promise.reject(new Error('the disk is full')) });
    sends.start('notes', [ROW], false);
    await sends.settled();
    expect(sends.excludedTopics()).toEqual(['notes']);
    const later = performance.now() + 60_000;
    jest.spyOn(performance, 'now').mockImplementation(() => later);
    expect(sends.excludedTopics()).toEqual([]);
    expect(sends.shouldResign).toBe(false);
  });

  it('report no failed removal when this process no longer leads', async () => {
    let leads = true;
    const remove = (): Promise<void> => {
      leads = false;
      return Promise.reject(new Error('Connection terminated unexpectedly'));
    };
    const sends = sendsTo(() => Promise.resolve(), { remove, mayPublish: () => leads });
    sends.start('notes', [ROW], false);
    await sends.settled();
    expect(sends.excludedTopics()).toEqual([]);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it('log that a topic is published again although its rows cannot be removed then', async () => {
    const answers = [Promise.reject(new Error('no leader')), Promise.resolve()];
    const sends = sendsTo(() => answers.shift() as Promise<void>, {
      remove: () => Promise.reject(new Error('the disk is full')),
    });
    for (let times = 0; times < 2; times++) {
      sends.start('notes', [ROW], false);
      await sends.settled();
    }
    const lines = [...logger.warn.mock.calls, ...logger.log.mock.calls].map(([{ msg }]: [{ msg: string }]) => msg);
    expect(lines).toEqual([
      'notes cannot be published',
      'published events of notes cannot be removed from the outbox, and are published again',
      'notes is published again',
    ]);
  });
});
