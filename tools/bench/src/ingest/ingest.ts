import path from 'node:path';
import { type NamedChild, profileApps, PROFILED } from '../chain/profile';
import { BenchDatabase } from '../delivery/database';
import { compare, figuresOf } from '../load/rates';
import { type Environment, stackEnvironment, startApp } from '../processes/apps';
import { Child, type Cleanup } from '../processes/child';
import type { Figure } from '../report';
import type { Settings } from '../../options';
import type { SignedWebhooks } from '../load/signed-requests';

const APP = 'webhook-ingest';
const ROLE = 'ingest';
/** The minimum rate of the app, as a share of the bare handler's rate. */
const TARGET = 0.4;

interface Intake {
  readonly title: string;
  readonly integration: SignedWebhooks['integration'];
  readonly path: string;
}

/**
 * Compares webhook-ingest with a bare handler that makes one insert. webhook-ingest checks the signature, validates,
 * encrypts, and commits the row with its events.
 */
const measure =
  ({ title, integration, path: route }: Intake) =>
  async (serverUrl: string, rounds: number, cleanup: Cleanup, { profile }: Settings): Promise<Figure[]> => {
    const database = await BenchDatabase.create(serverUrl, [APP]);
    cleanup.add(() => database.close());
    const { apps } = await stackEnvironment({ bus: 'postgres', superuserUrl: database.superuserUrl });
    const databaseUrl = database.urlFor(ROLE);
    const env: Environment = { ...apps[APP], DATABASE_URL: databaseUrl, BUS_DATABASE_URL: databaseUrl };
    const secrets = { payments: env['PAYMENTS_WEBHOOK_SECRETS'], array: env['ARRAY_WEBHOOK_SECRETS'] };
    const [secret = ''] = secrets[integration]?.split(',') ?? [];
    const app = await startApp(APP, { env, nodeArguments: profile === null ? [] : PROFILED }, cleanup);
    const bare = await startBare(database, cleanup);
    const named: NamedChild[] = [[APP, app]];
    const appKey = env['VENDOR_APP_KEY'] ?? '';
    const request = { callers: [{}], webhooks: { integration, secret, appKey } };
    const rates = await compare(
      cleanup,
      {
        app: APP,
        rounds,
        ...(profile !== null && { profile: (work) => profileApps(named, profile, integration, work) }),
      },
      {
        app: { ...request, url: app.url + route, pid: app.child.pid },
        bare: { ...request, url: `${bare.url}/webhook`, pid: bare.child.pid },
      },
    );
    return figuresOf(title, APP, rates, TARGET);
  };

/** (1) Measures purchases that name their user; each causes two events. */
export const measurePayments = measure({
  title: '(1) payments',
  integration: 'payments',
  path: '/idp/payments/webhook',
});

/**
 * (2) Measures alerts that the vendor sends. Each alert causes one event, and adds the claims by which duplicates are
 * detected.
 */
export const measureVendor = measure({ title: '(2) array', integration: 'array', path: '/idp/array/webhook' });

async function startBare(database: BenchDatabase, cleanup: Cleanup) {
  await database.client.query(
    'create table bare_webhook (id text primary key, received_at timestamptz not null, body text not null)',
  );
  const { child, ready } = await Child.start<{ url: string }>({
    name: 'bare',
    file: path.join(__dirname, 'bare-main.js'),
    env: { NODE_ENV: 'production', DATABASE_URL: database.superuserUrl },
  });
  cleanup.add(() => child.stop());
  return { child, url: ready.url };
}
