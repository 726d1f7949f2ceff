import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { forkApp, sendRequest } from '@tandem/testing';
import { newKrn, Support, supportToken, supportUser } from './support';

// Starting a process takes long, because each process compiles the app.
jest.setTimeout(120_000);

type Stored = { readonly hasProfile: boolean; readonly attempts: number };
type Given = [status: number, body: unknown];

const DELETED = [200, { deleted: true }];
const UNKNOWN = [404, { error: 'unknown user' }];
const LOST = { outcome: 'failed', error: 'service_unavailable', details: { hadData: true } };
const NOT_FOUND: Given = [400, { code: 'user_not_found', status: 400 }];
const BUSY: Given = [504, { code: 'user_busy', status: 504 }];

describe('an erasure whose answer was lost', () => {
  let support: Support;
  /** What the fake idp-api stores. */
  const users = new Map<string, Stored>();
  /** Called when the fake idp-api has carried out a request, and before it answers. Returns whether the answer arrives. */
  let beforeAnswer: (method: string) => boolean | Promise<boolean>;
  /** Whether the fake idp-api refuses each DELETE, because another request of the user takes too long. */
  let isBusy: boolean;

  const identity = createServer(({ method = '', url = '' }, response) => {
    const [status, body] = carryOut(method, decodeURIComponent(url.split('/')[4] as string));
    void Promise.resolve(beforeAnswer(method)).then((arrives) => {
      if (arrives) response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      else response.destroy();
    });
  });
  beforeAll(async () => {
    await once(identity.listen(0, '127.0.0.1'), 'listening');
    const { port } = identity.address() as AddressInfo;
    support = await Support.start({ IDP_API_URL: `http://127.0.0.1:${port}`, IDP_API_TIMEOUT_MS: '30000' });
  });
  beforeEach(() => {
    beforeAnswer = () => true;
    isBusy = false;
  });
  afterAll(async () => {
    await support.stop();
    identity.closeAllConnections();
    identity.close();
  });

  function carryOut(method: string, krn: string): Given {
    const user = users.get(krn);
    if (!user) return NOT_FOUND;
    if (method === 'GET') return [200, viewOf(krn, user)];
    if (isBusy) return BUSY;
    if (!user.hasProfile && user.attempts === 0) return NOT_FOUND;
    users.delete(krn);
    return [200, { deleted: true }];
  }
  const viewOf = (krn: string, { hasProfile, attempts }: Stored) => {
    const user = supportUser(krn);
    const status = { ...user.user_status_response, authAttempts: attempts };
    return { ...user, user_status_response: status, ...(!hasProfile && { array_user_details: null }) };
  };
  const store = (krn: string, stored: Stored = { hasProfile: true, attempts: 0 }): void => void users.set(krn, stored);
  const newUser = (stored?: Stored): string => {
    const krn = newKrn();
    store(krn, stored);
    return krn;
  };
  const erase = async (krn: string, requestId = 'req') => {
    const headers = { 'x-request-id': requestId, 'x-support-reason': `because of ${requestId}` };
    const { status, body } = await support.act('DELETE', krn, '', { headers });
    return [status, body];
  };
  async function loseAnswer(krn: string): Promise<void> {
    beforeAnswer = (method) => method !== 'DELETE';
    expect((await erase(krn, 'lost'))[0]).toBe(503);
    beforeAnswer = () => true;
    expect(users.has(krn)).toBe(false);
  }
  /**
   * Sends a DELETE to a separate process of idp-support. Kills the process when idp-api has carried out the process's request with the method
   * `call`, before idp-api answers.
   */
  async function killDuring(call: string, krn: string): Promise<void> {
    const { child, url } = await forkApp(path.join(__dirname, 'support-process.ts'), support.env);
    const gone = once(child, 'exit');
    beforeAnswer = (method) => method !== call || child.kill('SIGKILL');
    const target = `${url}/idp/support/users/${encodeURIComponent(krn)}`;
    await expect(sendRequest('DELETE', target, { token: supportToken() })).rejects.toThrow();
    await gone;
    beforeAnswer = () => true;
  }
  /** Makes the database refuse to change the user's entries, or only to finish them, during `work`. */
  async function whileEntriesCannot(what: 'change' | 'finish', krn: string, work: () => Promise<void>): Promise<void> {
    await support.database.query(`
      create function support.refuse_update() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refuse before update on support.audit_entry for each row
        when (old.krn = '${krn}' ${what === 'finish' ? "and new.outcome <> 'started'" : ''})
        execute function support.refuse_update()`);
    try {
      await work();
    } finally {
      await support.database.query('drop function support.refuse_update cascade');
    }
  }
  const receipts = async (krn: string) => {
    const { items } = (await support.act('GET', krn, '/erasures')).body;
    return items.filter(({ erased_at: at }: { erased_at: string | null }) => at !== null);
  };
  const trail = async (krn: string) => (await support.trail(krn)).filter(({ action }) => action === 'user.delete');

  it.each<[string, Stored]>([
    ['a profile', { hasProfile: true, attempts: 0 }],
    ['only refused verifications', { hasProfile: false, attempts: 3 }],
  ])('is proved only by the first repeated request, if the user had %s [support-delete.lost]', async (_, stored) => {
    const krn = newUser(stored);
    await loseAnswer(krn);
    expect(await receipts(krn)).toEqual([]);
    expect(await erase(krn, 'repeat')).toEqual(DELETED);
    expect(await receipts(krn)).toMatchObject([
      { request_id: 'repeat', reason: 'because of repeat', outcome: 'succeeded' },
    ]);
    expect(await erase(krn, 'third')).toEqual(UNKNOWN);
    expect(await receipts(krn)).toMatchObject([{ request_id: 'repeat' }]);
    expect(await trail(krn)).toMatchObject([
      LOST,
      { outcome: 'succeeded', details: { repeats: 'lost' } },
      { outcome: 'refused', error: 'user_not_found' },
    ]);
  });

  it('is proved only once when four repeated requests arrive at the same time [support-delete.lost]', async () => {
    const krn = newUser();
    await loseAnswer(krn);
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => erase(krn)))).map(([status]) => status);
    expect(statuses.sort()).toEqual([200, 404, 404, 404]);
    expect(await receipts(krn)).toHaveLength(1);
  });

  it('is proved by a repeated request after idp-support was killed before it got the answer [support-delete.lost]', async () => {
    const krn = newUser();
    await killDuring('DELETE', krn);
    expect(users.has(krn)).toBe(false);
    expect(await trail(krn)).toMatchObject([{ outcome: 'started', details: { hadData: true } }]);
    expect(await erase(krn, 'repeat')).toEqual(DELETED);
    expect(await trail(krn)).toMatchObject([LOST, { outcome: 'succeeded' }]);
    expect(await receipts(krn)).toMatchObject([{ request_id: 'repeat' }]);
    expect(await erase(krn)).toEqual(UNKNOWN);
  });

  it('leaves no proof when idp-support was killed before it asked for the erasure [support-delete.lost]', async () => {
    const krn = newUser();
    await killDuring('GET', krn);
    users.delete(krn);
    expect(await erase(krn)).toEqual(UNKNOWN);
    expect(await receipts(krn)).toEqual([]);
  });

  it('is proved by a repeated request when the entry of the first request could not be finished [support-delete.lost]', async () => {
    const krn = newUser();
    await whileEntriesCannot('finish', krn, async () => expect(await erase(krn)).toEqual(DELETED));
    expect(await receipts(krn)).toEqual([]);
    expect(await erase(krn, 'repeat')).toEqual(DELETED);
    expect(await receipts(krn)).toMatchObject([{ request_id: 'repeat' }]);
  });

  it('is proved by the second repeated request when the first one could not store the proof [support-delete.lost]', async () => {
    const krn = newUser();
    await loseAnswer(krn);
    await whileEntriesCannot('finish', krn, async () => expect((await erase(krn, 'second'))[0]).toBe(500));
    expect(await erase(krn, 'third')).toEqual(DELETED);
    expect(await receipts(krn)).toMatchObject([{ request_id: 'third' }]);
  });

  it('is not carried out when its entry cannot store that the user had data [support-delete.lost]', async () => {
    const krn = newUser();
    await whileEntriesCannot('change', krn, async () => expect((await erase(krn))[0]).toBe(500));
    expect(users.has(krn)).toBe(true);
  });

  it('has only one proof, even if a repeated request proves it before the first request gets its answer [support-delete.lost]', async () => {
    const krn = newUser();
    let repeated: unknown;
    beforeAnswer = async (method) => {
      if (method !== 'DELETE') return true;
      beforeAnswer = () => true;
      repeated = await erase(krn, 'repeat');
      return true;
    };
    expect(await erase(krn, 'first')).toEqual(DELETED);
    expect(repeated).toEqual(DELETED);
    expect(await receipts(krn)).toMatchObject([{ request_id: 'repeat' }]);
  });

  it('is not proved for a user who never existed, so that a repeated request gets 404 [support-errors.unknown-user]', async () => {
    const krn = newKrn();
    beforeAnswer = () => false;
    expect((await erase(krn))[0]).toBe(503);
    beforeAnswer = () => true;
    expect(await erase(krn)).toEqual(UNKNOWN);
    expect(await receipts(krn)).toEqual([]);
  });

  it('is not proved if idp-api had refused the earlier request [support-delete.lost]', async () => {
    const krn = newUser();
    isBusy = true;
    expect((await erase(krn))[0]).toBe(504);
    users.delete(krn);
    expect(await erase(krn)).toEqual(UNKNOWN);
    expect(await receipts(krn)).toEqual([]);
  });

  it('has its own proof if the user created a new profile after an earlier erasure [support-delete.lost]', async () => {
    const krn = newUser();
    await loseAnswer(krn);
    store(krn);
    expect(await erase(krn, 'second')).toEqual(DELETED);
    expect(await erase(krn)).toEqual(UNKNOWN);
    store(krn);
    await loseAnswer(krn);
    expect(await erase(krn, 'fourth')).toEqual(DELETED);
    expect(await erase(krn)).toEqual(UNKNOWN);
    expect(await receipts(krn)).toMatchObject([{ request_id: 'fourth' }, { request_id: 'second' }]);
  });
});
