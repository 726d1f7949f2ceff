import type { Server } from 'node:http';
import { couponsPath } from '@tandem/internal-api';
import { REQUEST_TIMEOUT_HEADER } from '@tandem/http-api';
import { eventually, uniqueId } from '@tandem/testing';
import { serviceToken, type TestGroup, Vouchers } from './vouchers';

const NOTHING = { coupons: 0, batches: 0, issued: 0, events: 0 };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a creation of coupons that needs the lock of its group', () => {
  let vouchers: Vouchers;
  let group: TestGroup;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
  });
  afterAll(() => vouchers.stop());
  beforeEach(async () => {
    group = await vouchers.createGroup();
  });

  const create = async (timeoutMs: number, signal?: AbortSignal): Promise<Response> =>
    fetch(vouchers.running.url + couponsPath(group.partnerId, group.environment), {
      method: 'POST',
      signal,
      headers: {
        authorization: `Bearer ${await serviceToken()}`,
        'content-type': 'application/json',
        [REQUEST_TIMEOUT_HEADER]: String(timeoutMs),
      },
      body: JSON.stringify({ voucherGroupId: group.id, requestedCount: 3, tokenId: uniqueId('tok') }),
    });

  /** Starts a creation that waits for the group's lock, runs `meanwhile`, and releases the lock. Returns the answer to the creation. */
  async function createAfter(timeoutMs: number, meanwhile: () => Promise<unknown>): Promise<Response> {
    const [answer] = await vouchers.whileGroupIsLocked(group.id, async () => {
      const running = create(timeoutMs);
      await vouchers.waiting(1);
      await meanwhile();
      return [running];
    });
    return answer as Promise<Response>;
  }

  it('succeeds if its deadline has not passed when the lock is released', async () => {
    expect((await createAfter(60_000, () => pause(0))).status).toBe(201);
    expect(await vouchers.counts(group.id)).toEqual({ coupons: 3, batches: 1, issued: 3, events: 1 });
  });

  it('gets 503 and creates nothing if its deadline passes during the wait', async () => {
    const answer = await createAfter(200, () => pause(250));
    expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'service_unavailable' }]);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await vouchers.counts(group.id)).toEqual(NOTHING);
  });

  it('creates nothing if its caller disconnects during the wait', async () => {
    const caller = new AbortController();
    const disconnected = new Promise((resolve) => {
      (vouchers.running.nest.getHttpServer() as Server).once('request', ({ socket }) => socket.once('close', resolve));
    });
    await vouchers.whileGroupIsLocked(group.id, async () => {
      const running = create(60_000, caller.signal).catch((error: unknown) => error);
      await vouchers.waiting(1);
      caller.abort();
      expect(await running).toMatchObject({ name: 'AbortError' });
      await disconnected;
    });
    await eventually(async () => {
      const open = await vouchers.database.query(
        `select from pg_stat_activity where datname = current_database()
           and (state like 'idle in transaction%' or wait_event_type = 'Lock')`,
      );
      expect(open).toEqual([]);
    });
    expect(await vouchers.counts(group.id)).toEqual(NOTHING);
  });

  it('gets 503 and creates nothing if its time limit is 0, even when the lock is free', async () => {
    expect((await create(0)).status).toBe(503);
    expect(await vouchers.counts(group.id)).toEqual(NOTHING);
  });
});
