import { request } from 'undici';
import { type NamedChild, profileApps } from '../chain/profile';
import { compare, figuresOf } from '../load/rates';
import type { App } from '../processes/apps';
import type { Cleanup } from '../processes/child';
import { type Figure, ms } from '../report';
import type { Settings } from '../../options';
import { quantile } from '../statistics';
import { type DiscoveryWorld, LOCATIONS_PATH, startBare, startDiscovery } from './apps';

const APP = 'discovery';
/** The minimum rate of the app, as a share of the bare handler's rate. */
const TARGET = 0.7;

const measure =
  (title: string, status: 200 | 304) =>
  async (serverUrl: string, rounds: number, cleanup: Cleanup, { profile }: Settings): Promise<Figure[]> => {
    const world = await startDiscovery(serverUrl, cleanup, { replicas: 1, profiled: profile !== null });
    const app = world.replicas[0] as App;
    const { bare, etag } = await startBare(world, cleanup);
    const condition: Record<string, string> = status === 304 ? { 'if-none-match': etag } : {};
    const callers = world.callers.map((headers) => ({ ...headers, ...condition }));
    const apps: NamedChild[] = [[APP, app]];
    const prefix = title.replace(/\W+/g, '');
    const rates = await compare(
      cleanup,
      { app: APP, rounds, ...(profile !== null && { profile: (work) => profileApps(apps, profile, prefix, work) }) },
      {
        app: { url: `${app.url}${LOCATIONS_PATH}`, callers, status, pid: app.child.pid },
        bare: { url: `${bare.url}/locations`, callers, status, pid: bare.child.pid },
      },
    );
    return figuresOf(title, APP, rates, TARGET);
  };

/** (1) Compares discovery with a bare handler: both return the same list of 200 locations with the same ETag. */
export const measureList = measure('(1) locations, 200', 200);

/** (2) Compares discovery with the bare handler for clients that already have the list: both answer 304. */
export const measureUnchanged = measure('(2) locations, 304', 304);

const CHANGES = 40;
const LIMIT_MS = 1_000;

/** (3) Measures the time from the commit of a change until both of two replicas serve the change. */
export async function measureFollowing(serverUrl: string, _rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const world = await startDiscovery(serverUrl, cleanup, { replicas: 2 });
  const delays: number[] = [];
  for (let change = 1; change <= CHANGES; change += 1) {
    const name = `Changed ${change}`;
    await world.database.client.query(`update discovery.location set name = $1 where id = 'loc-1'`, [name]);
    const committedAt = performance.now();
    await Promise.all(world.replicas.map((replica) => untilServed(replica, world, `"${name}"`)));
    delays.push(performance.now() - committedAt);
  }
  const worst = Math.max(...delays);
  return [
    { name: '(3) a change on both replicas, p50', value: ms(quantile(delays, 0.5)) },
    {
      name: `(3) a change on both replicas, the slowest of ${CHANGES}`,
      value: ms(worst),
      target: `<= ${ms(LIMIT_MS)}`,
      met: worst <= LIMIT_MS,
    },
  ];
}

async function untilServed({ url }: App, { callers: [headers] }: DiscoveryWorld, text: string): Promise<void> {
  for (const deadline = performance.now() + 30 * LIMIT_MS; performance.now() < deadline;) {
    const { body } = await request(`${url}${LOCATIONS_PATH}`, { headers });
    if ((await body.text()).includes(text)) return;
  }
  throw new Error(`${url} does not serve ${text}`);
}
