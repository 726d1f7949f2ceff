import { FaultyServer, eventually, startPostgresServer } from '@tandem/testing';
import { bootstrap, RunningApp } from '@tandem/service-defaults';
import { SALE_COMPLETED } from '@tandem/contracts';
import { postbackConfigurationPath } from '@tandem/internal-api';
import { Outbox } from '@tandem/messaging';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { app } from '../src/app';
import { environmentOf, prepare, saleOf, serviceToken } from './dispatcher';
import { EndpointServer } from './endpoint-server';

const SALES = 300;

/** Returns a list to which the level and message of each log line of the app are added. */
function collectLog(running: RunningApp): { level: string; msg: string }[] {
  const lines: { level: string; msg: string }[] = [];
  const write = (level: string) => (line: unknown) =>
    void lines.push({ level, msg: String((line as { msg?: string }).msg ?? line) });
  running.nest.useLogger({ log: write('info'), warn: write('warn'), error: write('error'), debug: () => undefined });
  return lines;
}

describe('a database that is down while postbacks are sent', () => {
  let server: FaultyServer & { readonly url: string };
  let running: RunningApp;
  let endpoint: EndpointServer;

  beforeAll(async () => {
    server = await startPostgresServer();
    await prepare(server.url);
    const url = new URL(server.url);
    url.username = 'postback';
    url.password = 'test';
    running = await bootstrap(app, environmentOf(url.toString()));
    endpoint = await EndpointServer.start();
  }, 60_000);
  afterAll(async () => {
    await running?.close();
    await endpoint?.stop();
    await server?.stop();
  }, 60_000);

  const query = async <T>(sql: string): Promise<T[]> => {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows as T[];
    } finally {
      await client.end();
    }
  };

  const shardsOwned = async (): Promise<string | undefined> =>
    /^postback_shards_owned (\d+)/m.exec(await (await fetch(`${running.url}/metrics`)).text())?.[1];

  it('is logged once by each part of the app that fails, and its recovery is logged too', async () => {
    const lines = collectLog(running);
    await server.kill();
    await delay(6_000);
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
    await server.start();
    await eventually(
      () => {
        const messages = lines.map(({ msg }) => msg);
        expect(messages).toEqual(
          expect.arrayContaining(['the relay reads the outbox again', 'the bus is available again']),
        );
        expect(messages).toEqual(expect.arrayContaining(['shards are renewed again']));
        expect(messages).toEqual(expect.arrayContaining(['sweeps succeed again']));
      },
      { timeoutMs: 30_000 },
    );
    expect(warnings).toEqual([...new Set(warnings)]);
    expect(warnings).toEqual(expect.arrayContaining(['the relay cannot read the outbox', 'the bus is unavailable']));
  }, 60_000);

  it('causes no loss: answers received during the outage are stored later, and no postback is sent twice', async () => {
    const partnerId = 'partner-1';
    const response = await fetch(running.url + postbackConfigurationPath(partnerId, 'live'), {
      method: 'PUT',
      headers: { authorization: `Bearer ${await serviceToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: endpoint.url, authMethod: 'Bearer', key: 'k' }),
    });
    expect(response.status).toBe(201);

    const release: (() => void)[] = [];
    endpoint.always((_, answer) => void release.push(() => answer.end()));
    const outbox = running.nest.get(Outbox);
    const sales = Array.from({ length: SALES }, () => saleOf(partnerId));
    await outbox.transaction((manager) =>
      outbox.addMany(
        manager,
        SALE_COMPLETED,
        sales.map((data) => ({ data })),
      ),
    );
    await eventually(() => expect(endpoint.inFlight).toBe(10));

    await server.kill();
    // The endpoint answers slowly, so that many deliveries are still pending when postback-dispatcher notices that it cannot store results.
    endpoint.always((_, answer) => void setTimeout(() => answer.end(), 200));
    for (const answer of release.splice(0)) answer();
    // Sending pauses while results cannot be stored, so the number of requests stops growing.
    let sent = 0;
    await eventually(
      () => {
        const before = sent;
        sent = endpoint.received.length;
        expect(before).toBe(sent);
      },
      { everyMs: 1_000 },
    );
    expect(sent).toBeGreaterThanOrEqual(10);
    expect(sent).toBeLessThan(SALES);
    const refused = await fetch(running.url + postbackConfigurationPath(partnerId, 'live'), {
      headers: { authorization: `Bearer ${await serviceToken()}` },
    });
    expect(refused.status).toBe(503);

    endpoint.always((_, answer) => answer.end());
    await server.start();
    await eventually(
      async () => {
        const rows = await query<{ status: string; count: number }>(
          'select status, count(*)::int as count from postback.delivery group by status',
        );
        expect(rows).toEqual([{ status: 'delivered', count: SALES }]);
      },
      { timeoutMs: 30_000 },
    );
    const ids = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(SALES);
    expect(new Set(ids).size).toBe(SALES);
    const attempts = await query<{ count: number }>('select count(*)::int as count from postback.attempt');
    expect(attempts).toEqual([{ count: SALES }]);
  }, 60_000);

  it('is shown by the number of shards that the process owns, which falls to 0 and returns to 64', async () => {
    await eventually(async () => expect(await shardsOwned()).toBe('64'));
    await server.kill();
    await eventually(async () => expect(await shardsOwned()).toBe('0'), { timeoutMs: 20_000 });
    await server.start();
    await eventually(async () => expect(await shardsOwned()).toBe('64'), { timeoutMs: 30_000 });
  }, 60_000);
});
