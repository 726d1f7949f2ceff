import { makeTopics } from './kafka-topics';

const PLANS = [{ topic: 'sale.completed', partitions: 6, deadLetters: false }];

describe('creating topics', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** Returns a cluster whose first `listedAfter` lists of topics are empty. */
  const cluster = (listedAfter: number, create: () => Promise<boolean> = () => Promise.resolve(true)) => {
    let asked = 0;
    return {
      listTopics: () => Promise.resolve(asked++ >= listedAfter ? ['sale.completed'] : []),
      createTopics: jest.fn(create),
    };
  };
  const outcomeOf = async (admin: ReturnType<typeof cluster>): Promise<unknown> => {
    const outcome = makeTopics(admin, PLANS, 1).then(
      () => 'made',
      (error: unknown) => error,
    );
    await jest.advanceTimersByTimeAsync(60_000);
    return Promise.race([outcome, 'endless']);
  };

  it('waits until the brokers list the new topics', async () => {
    expect(await outcomeOf(cluster(5))).toBe('made');
  });

  it('fails with the names of the created topics when the brokers never list these topics', async () => {
    expect(await outcomeOf(cluster(Infinity))).toEqual(
      new Error('created, but not listed by the brokers: sale.completed'),
    );
  });

  it('fails with the error of the last attempt when no attempt creates the topics', async () => {
    const error = new Error('the replication factor is larger than the cluster');
    expect(await outcomeOf(cluster(Infinity, () => Promise.reject(error)))).toBe(error);
  });

  it('creates topics without compression, whose messages have the time at which the broker received them', async () => {
    const admin = cluster(1);
    await outcomeOf(admin);
    const configEntries = [
      { name: 'compression.type', value: 'uncompressed' },
      { name: 'message.timestamp.type', value: 'LogAppendTime' },
    ];
    const topics = [expect.objectContaining({ topic: 'sale.completed', configEntries })];
    expect(admin.createTopics).toHaveBeenCalledWith(expect.objectContaining({ topics }));
  });

  it('creates nothing when all topics exist', async () => {
    const admin = cluster(0);
    expect(await outcomeOf(admin)).toBe('made');
    expect(admin.createTopics).not.toHaveBeenCalled();
  });
});
