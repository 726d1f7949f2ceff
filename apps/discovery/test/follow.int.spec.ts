import { setTimeout as delay } from 'node:timers/promises';
import type { RunningApp } from '@tandem/service-defaults';
import { eventually } from '@tandem/testing';
import type { CatalogLocation } from '../src/catalog/catalog.repository';
import { Discovery, endpointOf, locationOf } from './discovery';

const PROTOCOLS = ['lightway', 'openvpn', 'wireguard', 'proxy'] as const;

/** Creates 100 locations with 30 endpoints each. The names of the locations and the hosts of the endpoints contain `number`. */
const generation = (number: number): CatalogLocation[] =>
  Array.from({ length: 100 }, (_, place) =>
    locationOf(`loc-${place}`, {
      name: `generation ${number}`,
      popularity_order: place + 1,
      endpoints: Array.from({ length: 30 }, (__, index) =>
        endpointOf(`g${number}-${index}.vpn.example.com`, { type: PROTOCOLS[index % 4] }),
      ),
    }),
  );

/** Returns the distinct numbers of {@link generation} in an answer. There is more than one only if the answer mixes several catalogs. */
const generationsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/"generation (\d+)"|"g(\d+)-\d+\.vpn/g)].map(([, name, host]) => name ?? (host as string)),
  ),
];

let discovery: Discovery;
let replicas: RunningApp[];

beforeAll(async () => {
  // An empty value selects the default of CATALOG_POLL_MS.
  discovery = await Discovery.start({ CATALOG_POLL_MS: '' });
  replicas = [discovery.running, await discovery.startReplica()];
});
afterAll(async () => {
  await replicas[1]?.close();
  await discovery.stop();
});

/** Sends the same request to every replica, and returns all answers. */
const everywhere = (path = ''): Promise<string[]> =>
  Promise.all(replicas.map(async ({ url }) => (await discovery.ask(path, { url })).bytes.toString()));

describe('a replica', () => {
  it.each([
    [
      'a location that was added by hand',
      `insert into discovery.location values ('by-hand', 'By hand', 1, 2, 'US', 1, 2, false, 1)`,
      '',
      true,
    ],
    [
      'an endpoint that was added by hand',
      `insert into discovery.endpoint values ('by-hand', 1, 'proxy', 'hand.example.com', '192.0.2.1', null, 1, 'tcp', null, 'CN=hand')`,
      '/by-hand/instances',
      true,
    ],
    [
      'an endpoint that was changed by hand',
      `update discovery.endpoint set cert_dn = 'CN=changed' where host = 'hand.example.com'`,
      '/by-hand/instances',
      true,
    ],
    [
      'a test address that was added by hand',
      `insert into discovery.location_test_ip values ('by-hand', 1, '192.0.2.99')`,
      '',
      true,
    ],
    [
      'a list without a location that was removed by hand',
      `delete from discovery.location where id = 'by-hand'`,
      '',
      false,
    ],
  ])('soon serves %s, and another replica sends the same answer [discovery.follow]', async (_, sql, path, appears) => {
    const before = await everywhere(path);
    await discovery.database.query(sql);
    const after = await eventually(async () => {
      const answers = await everywhere(path);
      expect(answers).not.toContain(before[0]);
      return answers;
    });
    expect(after[0]).toBe(after[1]);
    expect(after[0]?.length).toBeGreaterThan(appears ? (before[0]?.length ?? 0) : 0);
  });

  it('serves an empty catalog after the tables were truncated [discovery.follow]', async () => {
    await discovery.serve(locationOf('xx-1'));
    await discovery.database.query('truncate discovery.location cascade');
    await eventually(async () => expect(await everywhere()).toEqual(['{"locations":[]}', '{"locations":[]}']));
  });

  it('does not serve a change that is rolled back', async () => {
    await discovery.serve(locationOf('xx-1'));
    await expect(
      discovery.database.query(`do $$ begin delete from discovery.location; raise exception 'undone'; end $$`),
    ).rejects.toThrow('undone');
    await delay(600);
    expect((await discovery.ask()).body.locations).toHaveLength(1);
  });
});

describe('a catalog that is read while it changes', () => {
  it('contains no part of the change, not even in the tables that are read after the commit [discovery.snapshot]', async () => {
    await discovery.serve(...generation(0).slice(0, 2));
    // The lock makes the reader wait after it has read the locations: the reader reads the endpoints only after the change is committed.
    const change = discovery.database.query(`do $$ begin
      lock table discovery.endpoint in access exclusive mode;
      perform pg_sleep(1.5);
      update discovery.location set name = 'generation 1';
      update discovery.endpoint set host = replace(host, 'g0-', 'g1-');
    end $$`);
    await eventually(async () => {
      const held = `select 1 from pg_locks where relation = 'discovery.endpoint'::regclass and mode = 'AccessExclusiveLock'`;
      expect(await discovery.database.query(held)).toHaveLength(1);
    });
    const text = await discovery.withImport((catalog) => catalog.exportFile());
    await change;
    expect(generationsIn(text.replaceAll('": "', '":"'))).toEqual(['0']);
  });
});

describe('a change of 3,000 instances, by an import or by hand,', () => {
  it('is served completely or not at all to clients that send requests during the change [discovery.snapshot]', async () => {
    await discovery.serve(...generation(0));
    await eventually(async () => expect((await everywhere()).map(generationsIn)).toEqual([['0'], ['0']]));
    const seen = new Set<string>();
    let reading = true;
    const read = async (url: string, path: string): Promise<number> => {
      let answers = 0;
      for (; reading; answers += 1) {
        const { status, bytes } = await discovery.ask(path, { url });
        expect(status).toBe(200);
        const generations = generationsIn(bytes.toString());
        expect(generations).toHaveLength(1);
        seen.add(generations[0] as string);
      }
      return answers;
    };
    const paths = ['', '?protocols=proxy', '/loc-0/instances', '/loc-99/instances?protocols=openvpn,lightway'];
    const readers = replicas.flatMap(({ url }) => paths.map((path) => read(url, path)));
    try {
      for (let number = 1; number <= 3; number += 1) {
        await discovery.serve(...generation(number));
        // Also changes the catalog without an import, row by row, in one transaction.
        await discovery.database.query(`do $$ declare place text; begin
        for place in select id from discovery.location loop
          update discovery.location set name = 'generation 9${number}' where id = place;
          update discovery.endpoint set host = replace(host, 'g${number}-', 'g9${number}-') where location_id = place;
        end loop; end $$`);
        await Promise.all(replicas.map((replica) => discovery.follow(replica)));
      }
    } finally {
      reading = false;
    }
    expect((await Promise.all(readers)).every((answers) => answers > 10)).toBe(true);
    expect([...seen]).toEqual(expect.arrayContaining(['0', '3', '93']));
  });
});
