import path from 'node:path';
import { type AppProcess, forkApp, type TestDatabase, uniqueId } from '@tandem/testing';
import { type Answer, environmentOf, type TestGroup, Vouchers } from './vouchers';

const RUNNING = { status: 409, body: { code: 'creation_in_progress' } };

/** Starts a replica in a separate process. */
const startProcess = (database: TestDatabase): Promise<AppProcess> =>
  forkApp(path.join(__dirname, 'voucher-process.ts'), environmentOf(database));

describe('the lock that allows one running creation per partner token', () => {
  let vouchers: Vouchers;
  let replica: Vouchers;
  let group: TestGroup;
  let tokenId: string;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
    replica = await Vouchers.start({}, vouchers.database);
  });
  afterAll(async () => {
    await replica.stop();
    await vouchers.stop();
  });
  beforeEach(async () => {
    group = await vouchers.createGroup();
    tokenId = uniqueId('tok');
  });

  /** Runs `work` while a creation is blocked in the middle of its transaction. Returns the answer to this creation. */
  const during = async (work: () => Promise<void>, key: string | null = null): Promise<Answer> => {
    const { first } = await vouchers.whileGroupIsLocked(group.id, async () => {
      const running = vouchers.create(group, { tokenId, count: 5, key });
      await vouchers.waiting(1);
      await work();
      // The creation is not awaited here, because it continues only after this callback, when the group's lock is released.
      return { first: running };
    });
    return first;
  };

  it('refuses a second creation while the first one runs, on any replica [vouchers.one-at-a-time, errors.creation-in-progress]', async () => {
    const other = await vouchers.createGroup({ partnerId: group.partnerId });
    const first = await during(async () => {
      for (const answer of [await vouchers.create(group, { tokenId }), await replica.create(other, { tokenId })]) {
        expect(answer).toMatchObject(RUNNING);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
    });
    expect(first.status).toBe(201);
    expect((await replica.create(group, { tokenId })).status).toBe(201);
  });

  it('does not block creations with another token [vouchers.one-at-a-time]', async () => {
    const other = await vouchers.createGroup({ partnerId: group.partnerId });
    await during(async () => {
      expect((await replica.create(other, { tokenId: uniqueId('tok') })).status).toBe(201);
    });
  });

  it('admits only one of 50 concurrent requests with the same token [vouchers.one-at-a-time]', async () => {
    const answers = await vouchers.whileGroupIsLocked(group.id, async () => {
      const first = vouchers.create(group, { tokenId });
      await vouchers.waiting(1);
      const others = Promise.all(
        Array.from({ length: 49 }, (_, index) => (index % 2 ? vouchers : replica).create(group, { tokenId })),
      );
      return { refused: await others, first };
    });
    expect(answers.refused.every(({ body }) => body.code === 'creation_in_progress')).toBe(true);
    expect((await answers.first).status).toBe(201);
    expect(await vouchers.counts(group.id)).toEqual({ coupons: 10, batches: 1, issued: 10, events: 1 });
  });

  it('is released, with nothing stored, when the connection to Postgres is cut [vouchers.all-or-nothing, vouchers.crash-frees]', async () => {
    const key = uniqueId('key');
    const cut = await vouchers.whileGroupIsLocked(group.id, async () => {
      const running = vouchers.create(group, { tokenId, count: 500, key });
      const [pid] = await vouchers.waiting(1);
      expect(await replica.create(group, { tokenId })).toMatchObject(RUNNING);
      await vouchers.database.query('select pg_terminate_backend($1)', [pid]);
      return running;
    });
    expect(cut).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(await vouchers.counts(group.id)).toEqual({ coupons: 0, batches: 0, issued: 0, events: 0 });
    const next = await replica.create(group, { tokenId, count: 500, key });
    expect(next.status).toBe(201);
    expect(next.headers.has('idempotency-replayed')).toBe(false);
    expect(await vouchers.counts(group.id)).toEqual({ coupons: 500, batches: 1, issued: 500, events: 1 });
  });

  it('is released, with nothing stored, when the process is killed in the middle of the transaction', async () => {
    const { child, url } = await startProcess(vouchers.database);
    await vouchers.whileGroupIsLocked(group.id, async () => {
      const running = vouchers.at(url).create(group, { tokenId, count: 500 });
      await vouchers.waiting(1);
      expect(await replica.create(group, { tokenId })).toMatchObject(RUNNING);
      child.kill('SIGKILL');
      await expect(running).rejects.toThrow('fetch failed');
      // Postgres ends the transaction of the killed process even while this transaction waits for a lock.
      await vouchers.waiting(0);
    });
    expect((await replica.create(group, { tokenId, count: 500 })).status).toBe(201);
    expect(await vouchers.counts(group.id)).toEqual({ coupons: 500, batches: 1, issued: 500, events: 1 });
  });

  it('is released when the running creation is refused', async () => {
    const small = await vouchers.createGroup({ partnerId: group.partnerId, stock: 0 });
    expect(await vouchers.create(small, { tokenId })).toMatchObject({ body: { code: 'insufficient_stock' } });
    expect((await replica.create(group, { tokenId })).status).toBe(201);
  });

  it('is taken after the lock of the idempotency key, so a second request with this key gets 409 idempotency_in_progress [errors.idempotency-in-progress]', async () => {
    const key = uniqueId('key');
    const first = await during(async () => {
      const answer = await replica.create(group, { tokenId, count: 5, key });
      expect(answer).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(await replica.create(group, { tokenId, key: uniqueId('key') })).toMatchObject(RUNNING);
    }, key);
    const replay = await replica.create(group, { tokenId, count: 5, key });
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(replay.text).toBe(first.text);
  });

  it('does not block a request that repeats a finished creation with the same idempotency key', async () => {
    const key = uniqueId('key');
    const first = await vouchers.create(group, { tokenId, key });
    await during(async () => {
      const replay = await replica.create(group, { tokenId, key });
      expect(replay.text).toBe(first.text);
    });
  });
});
