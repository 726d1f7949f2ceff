import { eventually } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { ProfileRepository } from '../src/profile/profile.repository';
import { freshIds, idsOf, listAlerts } from './alert-lists';
import { alertsOf, invalidFields, type Reader, ReaderWorld, stranger, userNotFound } from './reader';
import { refusesAsEveryOperation } from './refusals';
import { sessionsAtLock } from './sessions-at-lock';

let world: ReaderWorld;
beforeAll(async () => {
  world = await ReaderWorld.start({ VENDOR_TIMEOUT_MS: '1000' });
});
afterAll(() => world.stop());

const list = (user: Reader, query?: string) => listAlerts(world, user, query);
const readIds = async (user: Reader): Promise<number[]> => idsOf((await list(user)).filter(({ read }) => read));

describe.each([
  ['PUT', true],
  ['DELETE', false],
] as const)('%s /idp/array/users/me/alerts/{alertId}/read', (method, read) => {
  refusesAsEveryOperation(() => world, {
    method,
    path: '/me/alerts/5/read',
    promises: { profile: 'idp-alerts.profile-only' },
  });

  it('marks only the alert in the path, even when the request is repeated [idp-alerts.mark-one]', async () => {
    const first = freshIds();
    const reader = await world.createReader({ data: { alerts: alertsOf(3, first) } });
    await world.idp.request(read ? 'DELETE' : 'PUT', '/me/alerts/read', reader);
    for (let round = 0; round < 2; round++) {
      const { status, text } = await world.idp.request(method, `/me/alerts/${first - 1}/read`, reader);
      expect([status, text]).toEqual([204, '']);
      const marked = (await list(reader)).map((alert) => alert.read);
      expect(marked).toEqual([!read, read, !read]);
    }
  });

  it('answers 204 for an alert of each bureau [idp-alerts.mark-one]', async () => {
    const first = freshIds();
    const bureaus = ['idp', 'exp', 'tui', 'efx'];
    const alerts = alertsOf(4, first, (index) => ({ bureau: bureaus[index] as string }));
    const reader = await world.createReader({ data: { alerts } });
    for (const { alertId } of alerts) {
      expect((await world.idp.request(method, `/me/alerts/${alertId}/read`, reader)).status).toBe(204);
    }
  });

  it('marks an alert of an unknown bureau when the vendor’s list contains the alert [idp-alerts.mark-one]', async () => {
    const first = freshIds();
    const alerts = alertsOf(3, first, (index) => (index === 1 ? { bureau: 'new' } : {}));
    const reader = await world.createReader({ data: { alerts } });
    await world.idp.request(read ? 'DELETE' : 'PUT', '/me/alerts/read', reader);
    expect((await world.idp.request(method, `/me/alerts/${first - 1}/read`, reader)).status).toBe(204);
    expect((await list(reader)).map((alert) => alert.read)).toEqual([!read, read, !read]);
  });

  it('answers 404 when no alert of the user has the id [idp-alerts.unknown]', async () => {
    const first = freshIds();
    await world.createReader({ data: { alerts: alertsOf(1, first) } });
    const other = await world.createReader();
    for (const id of [first, 99, '9007199254740991', '99999999999999999999', '9'.repeat(300)]) {
      const { status, body } = await world.idp.request(method, `/me/alerts/${id}/read`, other);
      expect([status, body]).toEqual([404, { error: expect.any(String) }]);
    }
    const rows = await world.idp.database.query('select 1 from idp.alert_read_state where krn = $1', [other.krn]);
    expect(rows).toEqual([]);
  });

  it.each(['0', '-1', '1.5', 'x', '%20', '1e3'])(
    'answers InputValidationFailure to the id %s [idp-alerts.path]',
    async (id) => {
      const { status, body } = await world.idp.request(method, `/me/alerts/${id}/read`, stranger());
      expect([status, body]).toEqual([400, invalidFields('alertId')]);
    },
  );

  it('marks the alert even if the request has a broken body', async () => {
    const first = freshIds();
    const reader = await world.createReader({ data: { alerts: alertsOf(1, first) } });
    expect((await world.idp.request(method, `/me/alerts/${first}/read`, reader, '{broken')).status).toBe(204);
  });

  it.each<['error' | 'hang', number]>([
    ['error', 502],
    ['hang', 504],
  ])(
    'when the vendor has the fault %s, answers %p and changes nothing [idp-vendor.read-failure]',
    async (fault, status) => {
      const first = freshIds();
      const reader = await world.createReader({ data: { alerts: alertsOf(1, first) } });
      world.idp.vendor.faults.set('alerts', { fault, times: 4 });
      expect((await world.idp.request(method, `/me/alerts/${first}/read`, reader)).status).toBe(status);
      world.idp.vendor.faults.clear();
      expect((await list(reader))[0]?.read).toBe(false);
    },
  );

  it('marks a pushed alert that the vendor does not list yet [idp-alerts.pushed]', async () => {
    const reader = await world.createReader();
    await world.idp.database.query(
      `insert into idp.pushed_alert (krn, alert_id, bureau, class, create_date, updated_date)
       values ($1, 77, 'exp', 'PIM', now(), now())`,
      [reader.krn],
    );
    expect((await world.idp.request(method, '/me/alerts/77/read', reader)).status).toBe(204);
    expect(await list(reader)).toMatchObject([{ alertId: 77, read }]);
    const { status } = await world.idp.request('GET', '/me/alerts/exp/77/details', reader);
    expect(status).toBe(404);
  });
});

describe.each([
  ['PUT', true],
  ['DELETE', false],
] as const)('%s /idp/array/users/me/alerts/read', (method, read) => {
  refusesAsEveryOperation(() => world, {
    method,
    path: '/me/alerts/read',
    promises: { profile: 'idp-alerts.profile-only' },
  });

  const mark = (user: Reader, body?: unknown) => world.idp.request(method, '/me/alerts/read', user, body);
  /** Creates a user whose alerts all have the state that `mark` changes: unread for PUT, read for DELETE. */
  async function createMarked(count: number): Promise<[Reader, number[]]> {
    const alerts = alertsOf(count, freshIds());
    const reader = await world.createReader({ data: { alerts } });
    if (!read) await world.idp.request('PUT', '/me/alerts/read', reader);
    expect(await readIds(reader)).toEqual(read ? [] : idsOf(alerts));
    return [reader, idsOf(alerts)];
  }

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['empty', ''],
    ['{}', {}],
    ['null', 'null'],
    ['{"alertIds":null}', { alertIds: null }],
    ['null alertIds with another field', { alertIds: null, x: 1 }],
  ])('marks all alerts when the body is %s, without calling the vendor [idp-alerts.mark-all]', async (_title, body) => {
    const [reader, ids] = await createMarked(3);
    const asked = world.asked(reader).length;
    const { status, text } = await mark(reader, body);
    expect([status, text]).toEqual([204, '']);
    expect(world.asked(reader)).toHaveLength(asked);
    expect(await readIds(reader)).toEqual(read ? ids : []);
  });

  it('marks the alerts whose ids are given as strings or numbers, and ignores ids that no alert has [idp-alerts.mark-some]', async () => {
    const [reader, ids] = await createMarked(4);
    const none = ['5', '9007199254740991', '99999999999999999999', 1e30];
    const { status } = await mark(reader, { alertIds: [String(ids[0]), ids[2], ...none] });
    expect(status).toBe(204);
    const chosen = [ids[0], ids[2]];
    expect(await readIds(reader)).toEqual(read ? chosen : ids.filter((id) => !chosen.includes(id)));
  });

  it('marks no alert when the list is empty, or contains only ids that no alert has [idp-alerts.mark-some]', async () => {
    const [reader, ids] = await createMarked(2);
    for (const alertIds of [[], [freshIds()], [String(freshIds())]]) {
      expect((await mark(reader, { alertIds })).status).toBe(204);
    }
    expect(await readIds(reader)).toEqual(read ? [] : ids);
  });

  it('marks exactly the given alerts when more than 200 ids are given [idp-alerts.mark-some]', async () => {
    const [reader, ids] = await createMarked(3);
    await mark(reader, { alertIds: [...Array.from({ length: 300 }, () => freshIds()), ...ids.slice(1)] });
    expect(await readIds(reader)).toEqual(read ? ids.slice(1) : ids.slice(0, 1));
  });

  it('overrides the earlier marks of single alerts when all alerts are marked [idp-alerts.mark-all]', async () => {
    const [reader, ids] = await createMarked(3);
    await world.idp.request(method, `/me/alerts/${ids[1]}/read`, reader);
    await mark(reader);
    expect(await readIds(reader)).toEqual(read ? ids : []);
    await world.idp.request(read ? 'DELETE' : 'PUT', `/me/alerts/${ids[1]}/read`, reader);
    expect(await readIds(reader)).toEqual(read ? [ids[0], ids[2]] : [ids[1]]);
    await mark(reader);
    expect(await readIds(reader)).toEqual(read ? ids : []);
  });

  it('does not mark alerts that arrive after all alerts were marked [idp-alerts.mark-all]', async () => {
    const [reader] = await createMarked(1);
    await mark(reader);
    const at = new Date(Date.now() + 1).toISOString();
    reader.data.alerts.unshift({ ...alertsOf(1, freshIds())[0], createDate: at, updatedDate: at } as never);
    expect((await list(reader))[0]?.read).toBe(false);
  });

  it('does not change the alerts of other users', async () => {
    const [reader] = await createMarked(1);
    const [other, ids] = await createMarked(1);
    await mark(reader);
    await mark(reader, { alertIds: ids });
    expect(await readIds(other)).toEqual(read ? [] : ids);
  });

  it.each<[string, unknown, string[]]>([
    ['broken JSON', '{"alertIds":', ['body']],
    ['a list', [1], ['body']],
    ['a string', '"x"', ['body']],
    ['a number', '7', ['body']],
    ['fields without alertIds', { other: 1 }, ['alertIds']],
    ['alertIds in another case', { alertids: ['5'] }, ['alertIds']],
    ['alertIds that are not a list', { alertIds: '5' }, ['alertIds']],
    ['elements that are not ids', { alertIds: [1, 'x', null, {}, '1.5'] }, [1, 2, 3, 4].map((at) => `alertIds[${at}]`)],
  ])('answers InputValidationFailure to %s [idp-alerts.body]', async (_title, body, fields) => {
    const { status, body: answer } = await world.idp.request(method, '/me/alerts/read', stranger(), body);
    expect([status, answer]).toEqual([400, invalidFields(...fields)]);
  });

  it('answers UserNotFound to a valid body when the user has no profile', async () => {
    expect((await world.idp.request(method, '/me/alerts/read', stranger(), {})).body).toEqual(userNotFound);
  });

  it('answers 415 to a body of another type, and 413 to a body of more than 64 KiB', async () => {
    const large = { alertIds: Array.from({ length: 12_000 }, (_, index) => String(1_000_000 + index)) };
    expect((await world.idp.request(method, '/me/alerts/read', stranger(), large)).status).toBe(413);
    const token = await world.idp.issuers.token(stranger().krn);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
    const url = `${world.idp.running.url}/idp/array/users/me/alerts/read`;
    expect((await fetch(url, { method, headers, body: 'x' })).status).toBe(415);
  });

  it('marks thousands of alerts in each of several concurrent requests [idp-alerts.mark-some]', async () => {
    const [reader, ids] = await createMarked(2);
    const many = [...ids, ...Array.from({ length: 5_000 }, (_, index) => 10_000_000 + index)];
    const answers = await Promise.all([many, [...many].reverse(), many].map((alertIds) => mark(reader, { alertIds })));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await readIds(reader)).toEqual(read ? ids : []);
  });
});

it('idp-api keeps only the newest 10,000 marks of a user, even of ids that no alert has [idp-alerts.mark-bound]', async () => {
  const reader = await world.createReader();
  const ids = Array.from({ length: 15_000 }, (_, index) => 20_000_000 - index);
  for (let from = 0; from < ids.length; from += 5_000) {
    const body = { alertIds: ids.slice(from, from + 5_000) };
    expect((await world.idp.request('PUT', '/me/alerts/read', reader, body)).status).toBe(204);
  }
  const kept = await world.idp.database.query(
    'select alert_id::int as id from idp.alert_read_state where krn = $1 order by id desc',
    [reader.krn],
  );
  expect(kept.map(({ id }) => id)).toEqual(ids.slice(5_000));
});

it('idp-api keeps 10,000 of 15,001 marks, even when Postgres expects a user to have only a few marks [idp-alerts.mark-bound]', async () => {
  const reader = await world.createReader();
  for (let user = 0; user < 3; user++) {
    await world.idp.request('PUT', '/me/alerts/read', await world.createReader(), { alertIds: [1, 2] });
  }
  await world.idp.database.query('delete from idp.alert_read_state where alert_id > 2');
  await world.idp.database.query('analyze idp.alert_read_state');
  const marks = `insert into idp.alert_read_state (krn, alert_id, is_read) select $1, n, true from generate_series(1, 15000) n`;
  await world.idp.database.query(marks, [reader.krn]);
  expect((await world.idp.request('PUT', '/me/alerts/read', reader, { alertIds: [20_000] })).status).toBe(204);
  const count = 'select count(*)::int as n from idp.alert_read_state where krn = $1';
  expect(await world.idp.database.query(count, [reader.krn])).toEqual([{ n: 10_000 }]);
});

it('idp-api keeps a mark that was just changed, even if the alert was first marked before all others [idp-alerts.mark-bound]', async () => {
  const first = freshIds();
  const reader = await world.createReader({ data: { alerts: alertsOf(1, first) } });
  expect((await world.idp.request('DELETE', `/me/alerts/${first}/read`, reader)).status).toBe(204);
  await world.idp.database.query(
    `insert into idp.alert_read_state (krn, alert_id, is_read) select $1, 30000000 + n, true from generate_series(1, 9999) n`,
    [reader.krn],
  );
  const body = { alertIds: [first, 40_000_000] };
  expect((await world.idp.request('PUT', '/me/alerts/read', reader, body)).status).toBe(204);
  expect(await readIds(reader)).toEqual([first]);
});

it.each([
  ['some', (first: number) => ({ alertIds: [first, first + 1] })],
  ['all', () => undefined],
])('marking %s alerts does not deadlock with the delete of the profile', async (_, bodyOf) => {
  const reader = await world.createReader();
  const first = freshIds();
  const mark = (method: string, body?: object) => world.idp.request(method, '/me/alerts/read', reader, body);
  await mark('PUT', { alertIds: [first] });
  const { marking } = await world.idp.running.nest.get(DataSource).transaction(async (manager) => {
    await manager.query('select from profile where krn = $1 for update', [reader.krn]);
    const marking = mark('DELETE', bodyOf(first));
    await eventually(async () => expect(await sessionsAtLock(manager)).toHaveLength(1));
    await world.idp.running.nest.get(ProfileRepository, { strict: false }).delete(manager, reader.krn);
    return { marking };
  });
  const { status, body } = await marking;
  expect([status, body]).toEqual([400, userNotFound]);
});

it('all read marks of a user are deleted with the profile', async () => {
  const first = freshIds();
  const reader = await world.createReader({ data: { alerts: alertsOf(1, first) } });
  await world.idp.request('PUT', '/me/alerts/read', reader);
  await world.idp.request('DELETE', `/me/alerts/${first}/read`, reader);
  await world.idp.database.query('delete from idp.profile where krn = $1', [reader.krn]);
  for (const table of ['alert_read_mark', 'alert_read_state', 'pushed_alert', 'mock_flag']) {
    expect(await world.idp.database.query(`select 1 from idp.${table} where krn = $1`, [reader.krn])).toEqual([]);
  }
});
