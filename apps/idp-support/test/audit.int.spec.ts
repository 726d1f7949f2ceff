import { createDataSource } from '@tandem/database';
import { type Answer, buffersRead, uniqueId } from '@tandem/testing';
import { AuditEntry } from '../src/audit/audit.entity';
import { AuditRepository } from '../src/audit/audit.repository';
import { newKrn, Support, supportToken, type TokenChange } from './support';

/** $1: the actor; $2: the number of entries; $3: the time between two entries; $4: when the first entry starts; $5: the action. */
const INSERT = `
  insert into support.audit_entry (actor, action, krn, request_id, details, started_at)
  select $1, $5, 'krn:tandem:dev:user:alice', 'req', '{}', $4::timestamptz + n * $3::interval from generate_series(0, $2 - 1) n`;

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

let support: Support;
beforeAll(async () => {
  support = await Support.start();
  support.knowUsers();
});
afterAll(() => support.stop());

interface Entry {
  readonly id: string;
  readonly krn: string | null;
  readonly actor: string;
  readonly action: string;
}

const queryOf = (query: Record<string, string>): string => `?${new URLSearchParams(query).toString()}`;
const list = (query: Record<string, string> = {}, token: Promise<string> | null = supportToken()) =>
  support.sendRequest('GET', `/idp/support/audit${queryOf(query)}`, { token });
const listOf = (krn: string, query: Record<string, string> = {}) => support.act('GET', krn, `/audit${queryOf(query)}`);
const read = async (krn: string, actor: string): Promise<void> => {
  const { status } = await support.act('GET', krn, '', { token: supportToken({ sub: actor }) });
  expect(status).toBe(200);
};

describe('GET /idp/support/users/{user_id}/audit', () => {
  it('shows who did what, when, why, in which request, and with which outcome [support-audit.of-user]', async () => {
    const krn = newKrn();
    const headers = { 'x-request-id': 'req-9', 'x-support-reason': 'case 9' };
    await support.act('PATCH', krn, '', { body: { ssn: '6789' }, headers });
    expect(await listOf(krn)).toMatchObject({
      status: 200,
      body: {
        items: [
          {
            id: expect.stringMatching(/^\d+$/),
            actor: 'agent-7',
            action: 'user.update',
            krn,
            reason: 'case 9',
            requestId: 'req-9',
            details: { fields: ['ssn'] },
            outcome: 'succeeded',
            error: null,
            startedAt: TIME,
            finishedAt: TIME,
          },
        ],
        nextCursor: null,
        hasMore: false,
      },
    });
  });

  it('shows no entries of another user, and is empty for an unknown user [support-audit.of-user]', async () => {
    const [alice, bob] = [newKrn(), newKrn()];
    await read(alice, 'agent-7');
    await read(bob, 'agent-7');
    const { body } = await listOf(alice);
    expect(body.items.map(({ krn }: Entry) => krn)).toEqual([alice]);
    expect((await listOf(newKrn())).body).toEqual({ items: [], nextCursor: null, hasMore: false });
  });

  it('records a read of the trail too, and the next read shows the entry [support-audit.read]', async () => {
    const krn = newKrn();
    await support.act('GET', krn, '/audit', { headers: { 'x-support-reason': 'case 11' } });
    const { body } = await listOf(krn);
    expect(body.items).toMatchObject([
      { action: 'audit.read', krn, actor: 'agent-7', reason: 'case 11', outcome: 'succeeded' },
    ]);
  });

  it('returns each existing entry once, page by page, while new entries are added [support-audit.of-user]', async () => {
    const krn = newKrn();
    for (let entry = 0; entry < 5; entry++) await read(krn, 'agent-7');
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: { items: Entry[]; nextCursor: string | null } } = await listOf(krn, {
        limit: '2',
        ...(cursor !== null && { cursor }),
      });
      ids.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
      await read(krn, 'agent-7');
    } while (cursor !== null);
    expect(ids).toHaveLength(5);
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => Number(other) - Number(one)));
  });

  it('omits reads with `reads=false` [support-audit.of-user]', async () => {
    const krn = newKrn();
    await support.act('POST', krn, '/unlock');
    await read(krn, 'agent-7');
    expect((await listOf(krn, { reads: 'false' })).body.items).toMatchObject([{ action: 'user.unlock' }]);
    expect((await listOf(krn, { reads: 'true' })).body.items).toHaveLength(3);
  });

  it.each([{ cursor: 'x' }, { limit: '0' }, { limit: '501' }, { reads: 'no' }, { actor: 'agent-7' }] as Record<
    string,
    string
  >[])('answers 400 to the query %j', async (query) => {
    expect(await listOf(newKrn(), query)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });
});

describe('GET /idp/support/audit', () => {
  it('filters by actor and by action, and returns the newest entries first [support-audit.list]', async () => {
    const [alice, bob] = [newKrn(), newKrn()];
    const [one, other] = [uniqueId('agent'), uniqueId('agent')];
    await read(alice, one);
    await support.act('POST', bob, '/unlock', { token: supportToken({ sub: one }) });
    await read(alice, other);
    const actsOf = async (query: Record<string, string>) =>
      (await list(query)).body.items.map(({ krn, action }: Entry) => [krn, action]);
    expect(await actsOf({ actor: one })).toEqual([
      [bob, 'user.unlock'],
      [alice, 'user.read'],
    ]);
    expect(await actsOf({ actor: one, action: 'user.read' })).toEqual([[alice, 'user.read']]);
    expect((await actsOf({ action: 'user.unlock' }))[0]).toEqual([bob, 'user.unlock']);
  });

  it('fills a page with other actions when `reads=false` omits the reads [support-audit.list]', async () => {
    const actor = uniqueId('agent');
    const krns = [newKrn(), newKrn(), newKrn()];
    for (const krn of krns) {
      await support.act('POST', krn, '/unlock', { token: supportToken({ sub: actor }) });
      await read(krn, actor);
    }
    const changes = await list({ actor, reads: 'false', limit: '2' });
    expect(changes.body.items.map(({ krn, action }: Entry) => [krn, action])).toEqual([
      [krns[2], 'user.unlock'],
      [krns[1], 'user.unlock'],
    ]);
    const rest = await list({ actor, reads: 'false', limit: '2', cursor: changes.body.nextCursor });
    expect(rest.body).toMatchObject({ items: [{ krn: krns[0], action: 'user.unlock' }], nextCursor: null });
    expect((await list({ actor, reads: 'true' })).body.items).toHaveLength(6);
  });

  it('omits the actions that started before `from`, and those that started at or after `to` [support-audit.list]', async () => {
    const actor = uniqueId('agent');
    const [early, late] = [newKrn(), newKrn()];
    await read(early, actor);
    await read(late, actor);
    const { body } = await list({ actor });
    const times = body.items.map(({ startedAt }: { startedAt: string }) => startedAt).reverse();
    const krnsOf = async (query: Record<string, string>) =>
      (await list({ actor, ...query })).body.items.map(({ krn }: Entry) => krn);
    const afterEarly = new Date(Date.parse(times[0]) + 1).toISOString();
    expect(await krnsOf({ to: afterEarly })).toEqual([early]);
    expect(await krnsOf({ from: afterEarly })).toEqual([late]);
    expect(await krnsOf({ from: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
  });

  it('sorts the pages of a time range by time, even if later entries have earlier times [support-audit.list]', async () => {
    const actor = uniqueId('agent');
    // Some entries have an earlier time than the previous entry, as if the clock had been set back.
    for (const minute of [5, 3, 4, 3]) {
      await support.database.query(INSERT, [
        actor,
        1,
        '1 minute',
        new Date(Date.UTC(2024, 0, 1, 0, minute)),
        'user.read',
      ]);
    }
    const range = { actor, from: '2024-01-01T00:00:00Z', to: '2024-01-01T00:05:00Z', limit: '1' };
    const minutes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: Answer = await list({ ...range, ...(cursor !== '' && { cursor }) });
      minutes.push(...(body.items as { startedAt: string }[]).map((one) => new Date(one.startedAt).getUTCMinutes()));
      cursor = body.nextCursor as string | null;
    }
    expect(minutes).toEqual([4, 3, 3]);
  });

  it('loads two pages from fewer than 300 buffers, even if many entries are newer than the time range [support-audit.list]', async () => {
    const { database } = support;
    const actor = uniqueId('agent');
    for (const year of [2020, 2022]) {
      for (const who of [actor, uniqueId('agent')]) {
        const first = new Date(Date.UTC(year, 0));
        await database.query(INSERT, [who, 20_000, '1 minute', first, 'user.read']);
        await database.query(INSERT, [who, 200, '1 hour', first, 'user.unlock']);
      }
    }
    // Autovacuum is off, because the measurement would also count the reads of autovacuum.
    await database.query('alter table support.audit_entry set (autovacuum_enabled = off)');
    await database.query('vacuum analyze support.audit_entry');
    const url = database.urlFor('support');
    const options = { url, applicationName: 'audit', poolMax: 1, entities: [AuditEntry] };
    const single = await createDataSource(options).initialize();
    try {
      const entries = new AuditRepository(single.manager);
      const [from, to] = [new Date(Date.UTC(2020, 0, 2)), new Date(Date.UTC(2021, 0))];
      const byAction = [{ action: 'user.read' }, { actor, action: 'user.read' }] as const;
      const changes = [{ omitsReads: true }, { actor, omitsReads: true }];
      for (const filter of [{}, { actor }, ...byAction, ...changes]) {
        const buffers = await buffersRead(single, 'audit_entry', async () => {
          const first = await entries.findPage({ ...filter, from, to, limit: 20 });
          const second = await entries.findPage({ ...filter, to, before: first.at(-1)?.seq, limit: 20 });
          expect([first.length, second.length]).toEqual([21, 21]);
        });
        expect([filter, buffers < 300]).toEqual([filter, true]);
      }
    } finally {
      await single.destroy();
    }
  });

  it('loads two pages of changes from fewer than 300 buffers, even if almost all entries are reads [support-audit.list]', async () => {
    const { database } = support;
    const actor = uniqueId('agent');
    const add = (who: string, count: number, from: Date, action: string) =>
      database.query(INSERT, [who, count, '1 second', from, action]);
    const late = new Date(Date.now() + 60_000);
    await add(actor, 50, late, 'user.unlock');
    for (const who of [actor, uniqueId('agent')]) await add(who, 20_000, late, 'user.read');
    await database.query('alter table support.audit_entry set (autovacuum_enabled = off)');
    await database.query('vacuum analyze support.audit_entry');
    const url = database.urlFor('support');
    const single = await createDataSource({
      url,
      applicationName: 'audit',
      poolMax: 1,
      entities: [AuditEntry],
    }).initialize();
    try {
      const entries = new AuditRepository(single.manager);
      for (const filter of [{}, { actor }]) {
        const buffers = await buffersRead(single, 'audit_entry', async () => {
          const page = { ...filter, omitsReads: true, limit: 20 };
          const first = await entries.findPage(page);
          const second = await entries.findPage({ ...page, before: first.at(-1)?.seq });
          expect([first.length, second.length]).toEqual([21, 21]);
        });
        expect([filter, buffers < 300]).toEqual([filter, true]);
      }
    } finally {
      await single.destroy();
    }
  });

  it('is recorded with the names of the filters and without a user, and the next read shows the entry [support-audit.read]', async () => {
    const actor = uniqueId('agent');
    await list({ actor: 'agent-1', action: 'user.read' }, supportToken({ sub: actor }));
    expect((await list({ actor })).body.items).toMatchObject([
      { action: 'audit.read', krn: null, actor, details: { filters: ['actor', 'action'] }, outcome: 'succeeded' },
    ]);
  });

  it('answers 401 without a token, and 403 without the scope support [support-auth.unauthorized, support-auth.scope]', async () => {
    expect(await list({}, null)).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    const other: TokenChange = { scope: 'partner:manage' };
    expect(await list({}, supportToken(other))).toMatchObject({ status: 403, body: { error: expect.any(String) } });
  });

  it.each([
    { actor: '' },
    { action: 'user.none' },
    { from: 'yesterday' },
    { from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' },
    { cursor: 'x' },
    { limit: '501' },
    { reads: 'no' },
    { reads: 'false', action: 'user.read' },
    { krn: 'krn:a:b:user:c' },
  ] as Record<string, string>[])('answers 400 to the query %j, and does not record it', async (query) => {
    const actor = uniqueId('agent');
    expect(await list(query, supportToken({ sub: actor }))).toMatchObject({
      status: 400,
      body: { error: expect.any(String) },
    });
    expect((await list({ actor })).body.items).toEqual([]);
  });

  it('is not available as an internal route', async () => {
    expect((await support.sendRequest('GET', '/internal/audit', { token: supportToken() })).status).toBe(404);
  });
});

describe('GET /idp/support/users/{user_id}/erasures', () => {
  const erasures = async (krn: string) => (await support.act('GET', krn, '/erasures')).body;

  it('proves an erasure: when, by whom, why, and in which request [support-delete.receipt]', async () => {
    const krn = newKrn();
    const headers = { 'x-request-id': 'req-12', 'x-support-reason': 'case 12' };
    expect((await support.act('DELETE', krn, '', { headers })).body).toEqual({ deleted: true });
    expect(await erasures(krn)).toEqual({
      items: [
        {
          requested_at: TIME,
          erased_at: TIME,
          actor: 'agent-7',
          reason: 'case 12',
          request_id: 'req-12',
          outcome: 'succeeded',
        },
      ],
    });
    expect(await support.trail(krn)).toMatchObject([
      { action: 'user.delete' },
      { action: 'audit.read', details: { erasures: true }, outcome: 'succeeded' },
    ]);
  });

  it('shows a refused erasure without a time of erasure, and the newest erasure first [support-delete.receipt]', async () => {
    const krn = newKrn();
    await support.act('DELETE', krn);
    support.refuse(400, 'user_not_found');
    expect((await support.act('DELETE', krn)).status).toBe(404);
    support.knowUsers();
    const { items } = await erasures(krn);
    expect(items).toMatchObject([
      { outcome: 'refused', erased_at: null, requested_at: TIME },
      { outcome: 'succeeded', erased_at: TIME },
    ]);
  });

  it('is empty for a user whom support has not erased [support-delete.receipt]', async () => {
    const krn = newKrn();
    await read(krn, 'agent-7');
    expect(await erasures(krn)).toEqual({ items: [] });
  });
});
