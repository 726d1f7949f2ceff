import { Logger } from '@nestjs/common';
import { type Answer, eventually, sendRequest } from '@tandem/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { Discovery, locationOf } from './discovery';

const ready = (url: string): Promise<Answer> => sendRequest('GET', `${url}/readyz`);

let discovery: Discovery;
beforeAll(async () => {
  discovery = await Discovery.start();
});
afterAll(() => discovery.stop());

it('a running replica stays ready while its database is down, serves its catalog, logs one warning, and recovers [discovery.outage]', async () => {
  const { database, running } = discovery;
  await discovery.serve(locationOf('us-nyc'));
  const [warnings, messages] = [jest.spyOn(Logger.prototype, 'warn'), jest.spyOn(Logger.prototype, 'log')];
  // The connection limit does not apply to superusers, so the test itself can still connect.
  await database.query(`alter database ${database.name} connection limit 0`);
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = 'discovery'`,
    [database.name],
  );
  await eventually(() => expect(warnings).toHaveBeenCalled());
  await delay(500);
  expect(warnings.mock.calls).toEqual([
    [expect.objectContaining({ msg: 'the catalog cannot be read; the last catalog that was read stays in use' })],
  ]);
  expect((await discovery.ask()).body.locations).toHaveLength(1);
  expect((await ready(running.url)).body).toEqual({ status: 'ready', checks: { catalog: { ok: true } } });

  await database.query(`update discovery.location set name = 'Changed meanwhile'`);
  await database.query(`alter database ${database.name} connection limit -1`);
  await eventually(async () => expect((await discovery.ask()).body.locations[0].name).toBe('Changed meanwhile'));
  await eventually(() => expect(messages).toHaveBeenCalledWith({ msg: 'the catalog can be read again' }));
  expect(warnings).toHaveBeenCalledTimes(1);
});

it('a replica that has not read a catalog since its start is not ready, answers 503, and recovers [discovery.outage]', async () => {
  const { database } = discovery;
  await database.query('revoke select on discovery.catalog_version from discovery');
  const replica = await discovery.startReplica();
  try {
    const { status, body } = await ready(replica.url);
    expect([status, body.checks]).toEqual([503, { catalog: { ok: false, detail: 'nothing was loaded yet' } }]);
    const answer = await discovery.ask('', { url: replica.url });
    expect([answer.status, Object.keys(answer.body), answer.headers['retry-after']]).toEqual([503, ['error'], '5']);
    await database.query('grant select on discovery.catalog_version to discovery');
    await eventually(async () => expect((await ready(replica.url)).status).toBe(200));
    expect((await discovery.ask('', { url: replica.url })).status).toBe(200);
  } finally {
    await replica.close();
  }
});

it('a replica that starts while its database is down begins to listen and serve once the database is up [discovery.outage]', async () => {
  const { database } = discovery;
  await discovery.serve(locationOf('us-nyc'));
  const warnings = jest.spyOn(Logger.prototype, 'warn').mockClear();
  await database.query(`alter database ${database.name} connection limit 0`);
  const starting = discovery.startReplica();
  try {
    const waiting = expect.stringMatching(/^waiting for the database/);
    await eventually(() => expect(warnings).toHaveBeenCalledWith(waiting));
  } finally {
    await database.query(`alter database ${database.name} connection limit -1`);
  }
  const replica = await starting;
  expect((await discovery.ask('', { url: replica.url })).body.locations).toHaveLength(1);
  await replica.close();
});
