import { eventually, shiftClock } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { IdpApiConfig } from '../src/config';
import { type Claim, ReconciliationRepository } from '../src/enrollment/reconciliation.repository';
import { arrayUserIdOf } from '../src/profile/array-user-id';
import { VerificationRepository } from '../src/profile/verification.repository';
import { UserLocks } from '../src/user-lock/user-locks';
import { freshIds, idsOf, listAlerts } from './alert-lists';
import { eventOf, handledAll, publishEvents, report, secondsAgo, type VendorEvent } from './identity-events';
import { createBody, newKrn, type TestUser } from './idp';
import { alertsOf, type Reader, ReaderWorld } from './reader';
import { sessionsAtLock } from './sessions-at-lock';

let world: ReaderWorld;
beforeAll(async () => {
  world = await ReaderWorld.start();
});
afterAll(() => world.stop());

const list = (user: Reader, query?: string) => listAlerts(world, user, query);
const deadLetters = () => world.idp.database.query(`select reason from idp.dead_letter where topic = 'identity.event'`);

const push = (alertId: number, more: { bureau?: string; class?: string; receivedAt?: string } = {}): VendorEvent => {
  const { receivedAt, ...alert } = more;
  return {
    type: 'alert_pushed',
    alert: { alertId, bureau: 'exp', class: 'CREDIT_MONITORING', ...alert },
    ...(receivedAt && { receivedAt }),
  };
};

describe('an alert that the vendor pushes', () => {
  const stored = ({ krn }: TestUser) =>
    world.idp.database.query('select alert_id::int as id, class from idp.pushed_alert where krn = $1 order by 1', [
      krn,
    ]);

  it('is listed before the vendor lists it, but its details get 404 until the vendor has them [idp-events.alert, idp-alerts.pushed]', async () => {
    const reader = await world.createReader();
    const alertId = freshIds();
    const receivedAt = secondsAgo(1);
    await report(world.idp, reader, push(alertId, { class: 'PIM', receivedAt }));
    expect(await list(reader)).toEqual([
      { alertId, bureau: 'exp', class: 'PIM', createDate: receivedAt, updatedDate: receivedAt, read: false },
    ]);
    const details = () => world.idp.request('GET', `/me/alerts/exp/${alertId}/details`, reader);
    expect((await details()).status).toBe(404);
    reader.data.alerts.push({ ...alertsOf(1, alertId)[0] } as never);
    expect((await details()).status).toBe(200);
    expect(idsOf(await list(reader))).toEqual([alertId]);
  });

  it('is in the list of its bureau and, if its class is NHW, in the list of watch alerts [idp-events.alert]', async () => {
    const reader = await world.createReader();
    const first = freshIds();
    await report(world.idp, reader, push(first, { bureau: 'tui' }), push(first + 1, { class: 'NHW' }));
    expect(idsOf(await list(reader, '?bureau=tui'))).toEqual([first]);
    const { body } = await world.idp.request('GET', '/me/nhw/alerts', reader);
    expect(idsOf(body.userAlerts)).toEqual([first + 1]);
  });

  it('has the content of its newest push, and the creation date of its oldest push [idp-events.alert-update]', async () => {
    const reader = await world.createReader();
    const alertId = freshIds();
    const at = (seconds: number) => secondsAgo(seconds);
    const [first, second, third] = [at(30), at(20), at(10)];
    await report(world.idp, reader, push(alertId, { class: 'SECOND', receivedAt: second }));
    await report(world.idp, reader, push(alertId, { class: 'FIRST', receivedAt: first }));
    expect(await list(reader)).toMatchObject([{ alertId, class: 'SECOND', createDate: first, updatedDate: second }]);
    await report(world.idp, reader, push(alertId, { class: 'THIRD', receivedAt: third }));
    expect(await list(reader)).toMatchObject([{ alertId, class: 'THIRD', createDate: first, updatedDate: third }]);
  });

  it('is stored once, with its newest content, when several pushes of it are published together [idp-events.alert-update]', async () => {
    const reader = await world.createReader();
    const alertId = freshIds();
    const events = ['A', 'B', 'C'].map((name, index) =>
      push(alertId, { class: name, receivedAt: secondsAgo(9 - index) }),
    );
    await report(world.idp, reader, ...events);
    expect(await stored(reader)).toEqual([{ id: alertId, class: 'C' }]);
  });

  it('is published once as alert.created, without its details, when it is first stored [idp-events.alert-created]', async () => {
    const reader = await world.createReader();
    const alertId = freshIds();
    const [first, second] = [secondsAgo(30), secondsAgo(10)];
    await report(
      world.idp,
      reader,
      push(alertId, { receivedAt: first }),
      push(alertId + 1, { bureau: 'tui', receivedAt: first }),
    );
    await report(world.idp, reader, push(alertId, { class: 'PIM', receivedAt: second }));
    const published = await world.idp.database.publishedEvents('idp', 'alert.created', reader.krn);
    const { krn } = reader;
    // Sorted by alert id here, because `publishedEvents` sorts by event id, which is a hash of user and alert.
    published.sort((one, other) => Number(one.data.alertId) - Number(other.data.alertId));
    expect(published.map(({ key, data }) => [key, data])).toEqual([
      [krn, { krn, alertId, bureau: 'exp', class: 'CREDIT_MONITORING', createdAt: first }],
      [krn, { krn, alertId: alertId + 1, bureau: 'tui', class: 'CREDIT_MONITORING', createdAt: first }],
    ]);
  });

  it('has the same event id when it is pushed again after its row was deleted [idp-events.alert-created]', async () => {
    const reader = await world.createReader();
    const alertId = freshIds();
    await report(world.idp, reader, push(alertId));
    await world.idp.database.query('delete from idp.pushed_alert where krn = $1', [reader.krn]);
    await report(world.idp, reader, push(alertId));
    const published = await world.idp.database.publishedEvents('idp', 'alert.created', reader.krn);
    // `published` contains each event id only once, so two elements would mean that the second push got another event id.
    expect(published).toHaveLength(1);
  });

  it('is stored if its bureau is unknown, but is in no list until the vendor lists it [idp-events.unknown-bureau]', async () => {
    const reader = await world.createReader();
    const alertId = freshIds();
    await report(world.idp, reader, push(alertId, { bureau: 'other', class: 'NHW' }));
    expect(await stored(reader)).toHaveLength(1);
    expect(await list(reader)).toEqual([]);
    expect(await list(reader, '?bureau=exp')).toEqual([]);
    expect((await world.idp.request('GET', '/me/nhw/alerts', reader)).body).toEqual({ userAlerts: [] });
    expect((await world.idp.request('PUT', `/me/alerts/${alertId}/read`, reader)).status).toBe(404);
    reader.data.alerts.push({ ...alertsOf(1, alertId)[0], bureau: 'other' } as never);
    expect(await list(reader)).toMatchObject([{ alertId, bureau: 'other', read: false }]);
    expect((await world.idp.request('PUT', `/me/alerts/${alertId}/read`, reader)).status).toBe(204);
    expect(await list(reader)).toMatchObject([{ alertId, read: true }]);
  });

  it('is unread if it arrived after all alerts were marked as read, even if it is backdated [idp-alerts.mark-all]', async () => {
    const first = freshIds();
    const reader = await world.createReader({ data: { alerts: alertsOf(2, first) } });
    const markAll = () => world.idp.request('PUT', '/me/alerts/read', reader);
    const unread = async () => idsOf((await list(reader)).filter(({ read }) => !read));
    await markAll();
    const [fresh, backDated] = [first + 1, first + 2];
    await report(world.idp, reader, push(fresh), push(backDated));
    expect((await unread()).sort()).toEqual([fresh, backDated]);
    reader.data.alerts.unshift(alertsOf(1, fresh)[0] as never);
    reader.data.alerts.push({ ...alertsOf(1, backDated)[0], createDate: '2020-01-01T00:00:00Z' } as never);
    // In the second round, idp-api has already recorded that the vendor lists the alerts.
    for (let round = 0; round < 2; round++) expect(await unread()).toEqual([fresh, backDated]);
    await world.idp.request('PUT', `/me/alerts/${fresh}/read`, reader);
    expect(await unread()).toEqual([backDated]);
    await markAll();
    expect(await unread()).toEqual([]);
  });

  it('is read if it arrived before all alerts were marked as read, even if its creation date is in the future [idp-alerts.mark-all]', async () => {
    const reader = await world.createReader();
    const alertId = freshIds();
    await report(world.idp, reader, push(alertId));
    await world.idp.request('PUT', '/me/alerts/read', reader);
    const createDate = new Date(Date.now() + 60_000).toISOString();
    reader.data.alerts.push({ ...alertsOf(1, alertId)[0], createDate } as never);
    expect(await list(reader)).toMatchObject([{ alertId, createDate, read: true }]);
  });

  it('is unread if it was received before all alerts were marked as read, but stored afterwards [idp-alerts.mark-all]', async () => {
    const reader = await world.createReader();
    const alertId = freshIds();
    await world.idp.request('PUT', '/me/alerts/read', reader);
    for (const seconds of [60, 120]) {
      await report(world.idp, reader, push(alertId, { receivedAt: secondsAgo(seconds) }));
      expect(await list(reader)).toMatchObject([{ alertId, read: false }]);
    }
    await world.idp.request('PUT', '/me/alerts/read', reader);
    await report(world.idp, reader, push(alertId));
    expect(await list(reader)).toMatchObject([{ alertId, read: true }]);
  });

  it.each<[string, VendorEvent]>([
    ['reconciliation', { type: 'enrollment_started', productCode: 'CREDIT_SCORE' }],
    ['verification', { type: 'identity_verified' }],
  ])(
    'is unread if all alerts were marked as read while its batch waited for a row of the table %s [idp-alerts.mark-all]',
    async (table, event) => {
      const reader = await world.createReader();
      const alertId = freshIds();
      const { database, running } = world.idp;
      await database.query(`insert into idp.reconciliation (krn, due_at) values ($1, now() + interval '1 hour')`, [
        reader.krn,
      ]);
      await database.query(
        `insert into idp.verification (krn, attempts, authenticated, last_attempt_at) values ($1, 0, false, now())`,
        [reader.krn],
      );
      await running.nest.get(DataSource).transaction(async (manager) => {
        await manager.query(`select from ${table} where krn = $1 for update`, [reader.krn]);
        await publishEvents(world.idp, ...[push(alertId), event].map((one) => eventOf(reader.arrayUserId, one)));
        await eventually(async () => {
          expect(await sessionsAtLock(manager)).toHaveLength(1);
        });
        expect((await world.idp.request('PUT', '/me/alerts/read', reader)).status).toBe(204);
      });
      await handledAll(world.idp);
      expect(await list(reader)).toMatchObject([{ alertId, read: false }]);
    },
  );

  it('is deleted after a year if the vendor has listed it, and is kept longer if not [idp-events.alert-bound]', async () => {
    const first = freshIds();
    const reader = await world.createReader({ data: { alerts: alertsOf(1, first) } });
    const old = { receivedAt: secondsAgo(366 * 86_400) };
    await report(world.idp, reader, push(first, old), push(first + 1, old));
    expect(await list(reader)).toHaveLength(2);
    expect(await stored(reader)).toHaveLength(2);
    await report(world.idp, reader, push(first + 2));
    expect((await stored(reader)).map(({ id }) => id)).toEqual([first + 1, first + 2]);
  });

  it('is deleted once 100 newer alerts were pushed, even if the vendor never listed it [idp-events.alert-bound]', async () => {
    const reader = await world.createReader();
    const first = freshIds();
    const events = Array.from({ length: 130 }, (_, index) =>
      push(first + index, { receivedAt: secondsAgo(500 - index) }),
    );
    await report(world.idp, reader, ...events);
    await report(world.idp, reader, push(first + 130));
    const ids = (await stored(reader)).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => first + 31 + index));
  });

  it('is not stored if the user is unknown, and does not become a dead letter [idp-events.unknown-user]', async () => {
    const before = await deadLetters();
    const unknown = { krn: newKrn() };
    await report(world.idp, unknown, push(freshIds()));
    await publishEvents(world.idp, eventOf('no-key-of-ours', push(freshIds())));
    await handledAll(world.idp);
    expect(await stored(unknown)).toEqual([]);
    expect(await deadLetters()).toEqual(before);
  });

  it('is not stored if it was received more than five minutes before the current profile was created [idp-events.unknown-user]', async () => {
    const reader = await world.createReader();
    expect((await world.idp.request('DELETE', '/me', reader)).status).toBe(200);
    expect((await world.idp.request('POST', '', reader, createBody())).status).toBe(200);
    const alertId = freshIds();
    await report(world.idp, reader, push(freshIds(), { receivedAt: secondsAgo(320) }), push(alertId));
    expect((await stored(reader)).map(({ id }) => id)).toEqual([alertId]);
  });

  it('is stored if it arrives soon after the profile was created, even if the clock of webhook-ingest is 90 s behind', async () => {
    const reader = await world.createReader();
    expect((await world.idp.request('DELETE', '/me', reader)).status).toBe(200);
    expect((await world.idp.request('POST', '', reader, createBody())).status).toBe(200);
    const alertId = freshIds();
    await report(world.idp, reader, push(alertId, { receivedAt: secondsAgo(90) }));
    expect((await stored(reader)).map(({ id }) => id)).toEqual([alertId]);
  });

  it('is deleted with a user who is deleted concurrently, and does not become a dead letter [idp-events.unknown-user]', async () => {
    const before = await deadLetters();
    const readers = await Promise.all(Array.from({ length: 8 }, () => world.createReader()));
    await Promise.all(
      readers.map(async (reader) => {
        const events = Array.from({ length: 10 }, () => eventOf(reader.arrayUserId, push(freshIds())));
        const publishing = publishEvents(world.idp, ...events);
        expect((await world.idp.request('DELETE', '/me', reader)).status).toBe(200);
        await publishing;
      }),
    );
    await handledAll(world.idp);
    for (const reader of readers) expect(await stored(reader)).toEqual([]);
    expect(await deadLetters()).toEqual(before);
  });
});

it('an event that lacks a field that its type needs becomes a dead letter, and the other events are handled', async () => {
  const reader = await world.createReader();
  const alertId = freshIds();
  const before = await deadLetters();
  await report(world.idp, reader, { type: 'alert_pushed' }, push(alertId), { type: 'enrollment_started' });
  await eventually(async () => expect((await deadLetters()).length).toBe(before.length + 2));
  await eventually(async () => expect(idsOf(await list(reader))).toEqual([alertId]));
});

describe('a verification result that the vendor reports', () => {
  const status = async (user: TestUser) => (await world.idp.request('GET', '/me', user)).body;

  it('sets authenticated and lastAuthAttempt, and neither counts nor resets attempts [idp-events.identity]', async () => {
    const user = await world.idp.createUser();
    world.idp.vendor.faults.set('verify', { fault: 'refuse', times: 1 });
    expect((await world.idp.request('POST', '/me/token', user)).status).toBe(429);
    const first = new Date().toISOString();
    await report(world.idp, user, { type: 'identity_verified', receivedAt: first });
    const counted = { authAttempts: 1, remainingAuthAttempts: 2 };
    expect(await status(user)).toMatchObject({ authenticated: true, lastAuthAttempt: first, ...counted });
    const second = new Date().toISOString();
    await report(world.idp, user, { type: 'identity_refused', receivedAt: second });
    expect(await status(user)).toMatchObject({ authenticated: false, lastAuthAttempt: second, ...counted });
    expect((await world.idp.request('POST', '/me/token', user)).status).toBe(429);
  });

  it('never overwrites a newer result, even if it arrives after the newer one [idp-events.older]', async () => {
    const user = await world.idp.createUser();
    const confirmedAt = `update idp.verification set last_attempt_at = now() - interval '1 minute' where krn = $1`;
    await world.idp.database.query(confirmedAt, [user.krn]);
    const newest = secondsAgo(10);
    await report(world.idp, user, { type: 'identity_refused', receivedAt: secondsAgo(120) });
    expect(await status(user)).toMatchObject({ authenticated: true });
    await report(
      world.idp,
      user,
      { type: 'identity_refused', receivedAt: newest },
      { type: 'identity_verified', receivedAt: secondsAgo(30) },
    );
    await report(world.idp, user, { type: 'identity_verified', receivedAt: secondsAgo(20) });
    expect(await status(user)).toMatchObject({ authenticated: false, lastAuthAttempt: newest });
  });

  it('is replaced by later reports, even if the clock of the app that received the webhook was ahead [idp-events.older]', async () => {
    const user = await world.idp.createUser();
    await report(world.idp, user, { type: 'identity_refused', receivedAt: secondsAgo(-90) });
    const { authenticated, lastAuthAttempt } = await status(user);
    expect(authenticated).toBe(false);
    expect(Date.parse(lastAuthAttempt)).toBeLessThanOrEqual(Date.now());
    await report(world.idp, user, { type: 'identity_verified' });
    expect(await status(user)).toMatchObject({ authenticated: true });
  });

  it('is kept if it arrives between the vendor’s confirmation of the identity and the issue of the token [idp-events.older]', async () => {
    const user = await world.idp.createUser();
    const { vendor } = world.idp;
    const clientKey = arrayUserIdOf(user.krn);
    const before = vendor.callsOf('token', clientKey).length;
    vendor.faults.set('token', { fault: 'slow', delayMs: 3_000, times: 1, clientKey });
    const issuing = world.idp.request('POST', '/me/token', user);
    await eventually(() => expect(vendor.callsOf('token', clientKey)).toHaveLength(before + 1), { everyMs: 5 });
    const receivedAt = new Date().toISOString();
    await report(world.idp, user, { type: 'identity_refused', receivedAt });
    expect((await issuing).status).toBe(200);
    expect(await status(user)).toMatchObject({ authenticated: false, lastAuthAttempt: receivedAt, authAttempts: 0 });
    expect((await world.idp.request('POST', '/me/token', user)).status).toBe(200);
    expect(await status(user)).toMatchObject({ authenticated: true });
  });

  it('does not prevent a replica whose clock is behind from storing a later confirmation [idp-events.older]', async () => {
    const user = await world.idp.createUser();
    await report(world.idp, user, { type: 'identity_refused' });
    shiftClock(-30_000);
    try {
      expect((await world.idp.request('POST', '/me/token', user)).status).toBe(200);
    } finally {
      jest.useRealTimers();
    }
    expect(await status(user)).toMatchObject({ authenticated: true });
  });

  it('replaces an earlier result, even if the clock of the replica that stored the earlier result is ahead [idp-events.older]', async () => {
    const user = await world.idp.createUser();
    shiftClock(90_000);
    try {
      expect((await world.idp.request('POST', '/me/token', user)).status).toBe(200);
    } finally {
      jest.useRealTimers();
    }
    await report(world.idp, user, { type: 'identity_refused' });
    expect(await status(user)).toMatchObject({ authenticated: false });
  });
});

it('a report of a verification and an enroll request of the same user do not deadlock', async () => {
  const user = await world.idp.createUser();
  const { nest } = world.idp.running;
  const reported = [{ krn: user.krn, authenticated: true, at: new Date() }];
  const enrolled = await nest.get(DataSource).transaction(async (manager) => {
    await nest.get(ReconciliationRepository, { strict: false }).hint(manager, [{ krn: user.krn, ended: [] }]);
    const enrolling = world.idp.request('POST', '/me/enroll', user);
    await eventually(async () => {
      // Postgres ends the session of an idle transaction. This repeated query also keeps the transaction from being idle.
      expect(await sessionsAtLock(manager)).toHaveLength(1);
    });
    await nest.get(VerificationRepository, { strict: false }).saveReported(manager, reported);
    return { enrolling };
  });
  expect((await enrolled.enrolling).status).toBe(200);
});

it('a report that is stored during a run is kept when the run ends, even if the report’s transaction began before the run', async () => {
  const { krn } = await world.idp.createUser();
  const { nest } = world.idp.running;
  const source = nest.get(DataSource);
  const settings = { ...nest.get(IdpApiConfig, { strict: false }), VENDOR_REPLICATION_SECONDS: 0.1 };
  const queue = new ReconciliationRepository(source, settings as IdpApiConfig);
  // While the test holds the user's lock, the worker cannot claim the user.
  await nest.get(UserLocks, { strict: false }).run(krn, async () => {
    const claim = await source.transaction(async (reporting) => {
      await reporting.query('select pg_sleep(0.3)');
      await source.transaction((manager) => queue.request(manager, krn));
      const claimed = await queue.claim(krn);
      await queue.hint(reporting, [{ krn, ended: [] }]);
      return claimed as Claim;
    });
    await source.transaction((manager) => queue.finish(manager, claim, null));
    expect(await queue.find(krn)).not.toBeNull();
  });
});

it('many events of many users, published concurrently in two different orders, are all handled [idp-events.batch]', async () => {
  const users = await Promise.all(Array.from({ length: 5 }, () => world.idp.createUser()));
  const before = await deadLetters();
  const reports: VendorEvent[] = [
    push(freshIds()),
    { type: 'identity_verified' },
    { type: 'enrollment_cancelled', productCode: 'CREDIT_SCORE' },
    { type: 'enrollment_started', productCode: 'CREDIT_SCORE' },
  ];
  const events = users.flatMap(({ krn }) => reports.map((one) => eventOf(arrayUserIdOf(krn), one)));
  await Promise.all([publishEvents(world.idp, ...events), publishEvents(world.idp, ...[...events].reverse())]);
  await handledAll(world.idp);
  expect(await deadLetters()).toEqual(before);
});
