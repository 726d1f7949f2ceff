import { type NamedChild, profileApps } from '../chain/profile';
import { Load } from '../load/load';
import { compare, figuresOf } from '../load/rates';
import type { Cleanup } from '../processes/child';
import { type Figure, ms } from '../report';
import type { Settings } from '../../options';
import { startIdentity } from './apps';

const APP = 'idp-api';
const USER = '/idp/array/users/me';

interface Comparison {
  readonly title: string;
  readonly path: string;
  readonly barePath: string;
  /** The minimum rate of the app, as a share of the bare handler's rate. */
  readonly target: number;
}

const measure =
  ({ title, path, barePath, target }: Comparison) =>
  async (serverUrl: string, rounds: number, cleanup: Cleanup, { profile }: Settings): Promise<Figure[]> => {
    const { app, bare, callers } = await startIdentity(serverUrl, cleanup, { profiled: profile !== null });
    const apps: NamedChild[] = [[APP, app]];
    const prefix = title.replace(/\W+/g, '');
    const rates = await compare(
      cleanup,
      { app: APP, rounds, ...(profile !== null && { profile: (work) => profileApps(apps, profile, prefix, work) }) },
      {
        app: { url: `${app.url}${USER}${path}`, callers, pid: app.child.pid },
        bare: { url: `${bare.url}${barePath}`, callers, pid: bare.child.pid },
      },
    );
    return figuresOf(title, APP, rates, target);
  };

/**
 * (1) Compares the dashboard with a bare handler: both make the same six calls to the vendor. idp-api also queries the
 * entitlements of the user, and which alerts are marked as read.
 */
export const measureDashboard = measure({
  title: '(1) dashboard',
  path: '/dashboard',
  barePath: '/dashboard',
  target: 0.6,
});

/**
 * (2) Compares the list of 50 alerts with a bare handler that makes the same call to the vendor. idp-api also queries
 * which of the alerts are marked as read.
 */
export const measureAlerts = measure({ title: '(2) alerts', path: '/alerts', barePath: '/alerts', target: 0.6 });

/** (3) Compares reading the profile with a bare handler that checks the token and runs the same query. */
export const measureProfile = measure({ title: '(3) profile', path: '', barePath: '/profile', target: 0.5 });

/** How long reading a section of the dashboard may take by default. A section that takes longer fails. */
const SECTION_MS = 3_000;
const HANGING = '/nhw/v2/watches';
const WARM_UP_SECONDS = 4;
const SECONDS = 15;

/**
 * (4) Measures how long idp-api takes to answer dashboards while one route of the vendor never answers. Requests for
 * alerts warm the app up.
 */
export async function measureHangingRoute(serverUrl: string, _rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const { app, callers } = await startIdentity(serverUrl, cleanup, { hanging: HANGING });
  const load = await Load.start(cleanup);
  await load.measure({ url: `${app.url}${USER}/alerts`, callers }, WARM_UP_SECONDS);
  const { p99Ms: p99 } = await load.measure({ url: `${app.url}${USER}/dashboard`, callers }, SECONDS);
  const limit = 1.1 * SECTION_MS;
  return [
    { name: '(4) dashboard, one route hangs, p99', value: ms(p99), target: `<= ${ms(limit)}`, met: p99 <= limit },
  ];
}
