import { makeTopics } from './kafka-topics';

const PLANS = [{ topic: 'sale.completed', partitions: 6, deadLetters: false }];

describe('making topics', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** A cluster that lists a topic only after it was asked so many times. */
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

  it('waits for topics that show late', async () => {
    expect(await outcomeOf(cluster(5))).toBe('made');
  });

  it('ends when they are made and never show, naming them', async () => {
    expect(await outcomeOf(cluster(Infinity))).toEqual(
      new Error('made, but not listed by the brokers: sale.completed'),
    );
  });

  it('ends with the error of the last try', async () => {
    const error = new Error('the replication factor is larger than the cluster');
    expect(await outcomeOf(cluster(Infinity, () => Promise.reject(error)))).toBe(error);
  });

  it('asks for nothing when all are there', async () => {
    const admin = cluster(0);
    expect(await outcomeOf(admin)).toBe('made');
    expect(admin.createTopics).not.toHaveBeenCalled();
  });
});
