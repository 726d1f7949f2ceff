import { getEventListeners, getMaxListeners } from 'node:events';
import { TopicSends, type TopicSendsContext } from '../src/outbox/topic-sends';
import type { OutboxRow } from '../src/outbox/outbox.repository';

const ROW = { id: '1', topic: 'notes', key: 'k', value: Buffer.from('{}'), headers: {} } as OutboxRow;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const logger = { log: jest.fn<void, [{ msg: string }]>(), warn: jest.fn<void, [{ msg: string; reason: string }]>() };

/** Creates a TopicSends whose bus publishes with the given function. */
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

describe('TopicSends', () => {
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    jest.resetAllMocks();
  });

  it('requests no read of a failed topic while the topic is being sent again', async () => {
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

  it('forgets the failure of a topic that has no more rows in the outbox', async () => {
    const sends = sendsTo(() => Promise.reject(new Error('no leader')));
    sends.start('notes', [ROW], false);
    await settled();
    sends.keepFailuresOf(['notes']);
    expect(sends.isIdle).toBe(false);
    sends.keepFailuresOf(['others']);
    expect([sends.isIdle, sends.backoffMs]).toEqual([true, Infinity]);
  });

  it('excludes a failed topic from reads until its backoff ends, even if the clock of the host has stepped back', async () => {
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

  it('repeats only the removal of published rows, and lets another process lead after removals have failed for 10 s', async () => {
    jest.useFakeTimers();
    const publish = jest.fn(() => Promise.resolve());
    const remove = jest.fn(() => Promise.reject(new Error('the disk is full')));
    const sends = sendsTo(publish, { remove });
    sends.start('notes', [ROW], false);
    await jest.advanceTimersByTimeAsync(9_900);
    expect([sends.reasonToResign, sends.excludedTopics()]).toEqual([undefined, ['notes']]);
    await jest.advanceTimersByTimeAsync(2_600);
    expect(remove.mock.calls.length).toBeGreaterThan(5);
    expect(publish).toHaveBeenCalledTimes(1);
    expect([sends.reasonToResign, sends.excludedTopics(), sends.isIdle]).toEqual([
      'cannot remove published events',
      ['notes'],
      false,
    ]);
    sends.resigned();
    expect([sends.reasonToResign, sends.excludedTopics(), sends.isIdle]).toEqual([undefined, [], true]);
  });

  it('excludes no topic from the next reads when this process leads again after it lost its connection', async () => {
    jest.useFakeTimers();
    const sends = sendsTo(() => Promise.resolve(), { remove: () => Promise.reject(new Error('the disk is full')) });
    sends.start('notes', [ROW], false);
    await jest.advanceTimersByTimeAsync(12_500);
    expect(sends.reasonToResign).toBe('cannot remove published events');
    sends.interrupt();
    expect([sends.reasonToResign, sends.excludedTopics(), sends.isIdle]).toEqual([undefined, [], true]);
  });

  it('lets the removals of 11 topics wait on one signal without a warning about a memory leak', async () => {
    const listen = jest.spyOn(EventTarget.prototype, 'addEventListener');
    const sends = sendsTo(() => Promise.resolve(), { remove: () => Promise.reject(new Error('the disk is full')) });
    for (let round = 0; round < 2; round++) {
      for (let topic = 0; topic < 11; topic++) sends.start(`notes-${topic}`, [ROW], false);
      await settled();
      const signal = listen.mock.contexts.at(-1) as AbortSignal;
      expect([getEventListeners(signal, 'abort').length, getMaxListeners(signal)]).toEqual([11, Infinity]);
      sends.interrupt();
      await sends.settled();
    }
  });

  it('logs that a topic’s rows can be removed again when the outbox has no more rows of the topic', async () => {
    const sends = sendsTo(() => Promise.resolve(), { remove: () => Promise.reject(new Error('the disk is full')) });
    sends.start('notes', [ROW], false);
    await new Promise((resolve) => setTimeout(resolve, 150));
    // The connection is cut during a removal that Postgres has committed, and this process leads again at once.
    sends.interrupt();
    await sends.settled();
    sends.keepFailuresOf(['notes']);
    expect(logger.log).not.toHaveBeenCalled();
    sends.keepFailuresOf([]);
    expect(logger.log.mock.calls.map(([{ msg }]) => msg)).toEqual([
      'published events of notes are removed from the outbox again',
    ]);
  });

  it('publishes no more rows and removes none after the connection was lost, even if this process leads again', async () => {
    const rows = Array.from({ length: 501 }, (_, index) => ({ ...ROW, id: String(index) }));
    let answer = (): void => undefined;
    const publish = jest.fn(() => new Promise<void>((resolve) => (answer = resolve)));
    const [remove, onReady] = [jest.fn(() => Promise.resolve()), jest.fn()];
    const sends = sendsTo(publish, { remove, onReady });
    sends.start('notes', rows, false);
    await settled();
    sends.interrupt();
    answer();
    await settled();
    answer();
    await sends.settled();
    expect(publish).toHaveBeenCalledTimes(1);
    expect(remove).not.toHaveBeenCalled();
    expect(onReady).toHaveBeenCalledTimes(1);
  });

  it('removes the rows that were being sent when the relay stopped', async () => {
    let [answer, stopping] = [(): void => undefined, false];
    const remove = jest.fn(() => Promise.resolve());
    const publish = (): Promise<void> => new Promise<void>((resolve) => (answer = resolve));
    const sends = sendsTo(publish, { remove, mayPublish: () => !stopping });
    sends.start('notes', [ROW], false);
    await settled();
    stopping = true;
    sends.interrupt();
    answer();
    await sends.settled();
    expect(remove).toHaveBeenCalledTimes(1);
  });

  it('reports no failed removal when this process no longer leads', async () => {
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

  it('reports no failed removal when the removal’s error arrives before the connection ends', async () => {
    const sends = sendsTo(() => Promise.resolve(), {
      remove: () => Promise.reject(new Error('terminating connection due to administrator command')),
    });
    sends.start('notes', [ROW], false);
    await settled();
    sends.interrupt();
    await sends.settled();
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it('logs the failure of a send after a successful send, even if the rows of the successful send cannot be removed', async () => {
    const rows = Array.from({ length: 501 }, (_, index) => ({ ...ROW, id: String(index) }));
    const answers = [Promise.resolve(), Promise.reject(new Error('no leader'))];
    let failures = 0;
    const sends = sendsTo(() => answers.shift() as Promise<void>, {
      remove: () => (++failures < 3 ? Promise.reject(new Error('the disk is full')) : Promise.resolve()),
    });
    sends.start('notes', rows, false);
    await sends.settled();
    expect(logger.warn.mock.calls.map(([{ msg, reason }]) => [msg, reason])).toEqual([
      ['notes cannot be published', 'no leader'],
      ['published events of notes cannot be removed from the outbox', 'the disk is full'],
    ]);
    expect(logger.log.mock.calls.map(([{ msg }]) => msg)).toEqual([
      'published events of notes are removed from the outbox again',
    ]);
    expect(sends.isIdle).toBe(false);
  });
});
