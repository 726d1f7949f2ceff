import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { freePorts } from '../../../ports/free-ports';
import {
  ALL_APPS,
  type App,
  type Bus,
  type Environment,
  kafkaCache,
  stackEnvironment,
  type StackEnvironment,
  startApp,
} from '../processes/apps';
import { Child, Cleanup, ROOT } from '../processes/child';
import { Sink } from '../sink/sink';
import { type Counts, cpuOfPostgres, cpuOfProcess, sumOf, wakeUpsOfPostgres, wakeUpsOfProcess } from '../processes/cpu';
import { Generator } from './generator';
import { createOffers } from './offers';
import { PROFILED } from './profile';
import { setTracking } from './statements';
import type { Offer, Preparation } from './purchases';

const PARTNERS = 10;
const SHOWN_LINES = 8;
const SHOWN_COLUMNS = 400;
const INFO = '"level":"info"';
/** The name of the database, which is the same as in a stack of `npm start`. */
const DATABASE = 'tandem';

/** The processes that the totals include: all apps and Postgres. Broker, generator and sink are shown separately. */
export const PLATFORM = [...ALL_APPS, 'postgres'];

interface Broker {
  readonly brokers: string;
  /** The id of the broker's process; undefined if this run did not start the broker. */
  readonly pid?: number;
}

/** Apps by their names. */
type Apps = Map<string, App>;

interface Parts {
  readonly apps: Apps;
  readonly broker?: Broker;
  readonly sink: Sink;
  readonly generator: Generator;
  readonly offers: readonly Offer[];
  readonly webhookSecret: string;
  readonly environment: StackEnvironment;
  readonly startApp: (name: string) => Promise<App>;
}

/**
 * The chain from a signed webhook to its postback. All apps run in separate processes and use a separate database. The
 * bus is separate too, unless KAFKA_BROKERS names existing brokers.
 */
export class ChainStack {
  private constructor(
    readonly client: Client,
    private readonly postmaster: number,
    private readonly parts: Parts,
  ) {}

  /** Starts the chain. @param profiled whether the apps can write CPU profiles when the benchmark requests them */
  static async start(serverUrl: string, bus: Bus, profiled: boolean, cleanup: Cleanup): Promise<ChainStack> {
    const home = mkdtempSync(path.join(tmpdir(), 'tandem-bench-chain-'));
    chmodSync(home, 0o755);
    cleanup.add(async () => rmSync(home, { recursive: true, force: true }));
    const broker = bus === 'kafka' ? await startBroker(home, cleanup) : undefined;
    // Apps that call each other need each other's addresses before they start.
    const free = await freePorts(ALL_APPS.length);
    const ports = Object.fromEntries(ALL_APPS.map((name, index) => [name, free[index] as number]));
    const environment = await stackEnvironment({ bus, superuserUrl: serverUrl, kafkaBrokers: broker?.brokers, ports });
    const { client, postmaster } = await createDatabase(serverUrl, environment.migrate, cleanup);
    const sink = await Sink.start(cleanup, PARTNERS, true);
    const startApp = appStarter(environment, { home, profiled, ports }, cleanup);
    const apps = new Map(await Promise.all(ALL_APPS.map(async (name) => [name, await startApp(name)] as const)));
    const offers = await createOffers(client, urlOf(apps, 'partner-gateway'), sink.ports);
    const generator = await Generator.start(cleanup);
    const { webhookSecret } = environment;
    return new ChainStack(client, postmaster, {
      apps,
      broker,
      sink,
      generator,
      offers,
      webhookSecret,
      environment,
      startApp,
    });
  }

  get bus(): Bus {
    return this.parts.broker === undefined ? 'postgres' : 'kafka';
  }

  get sink(): Sink {
    return this.parts.sink;
  }

  get generator(): Generator {
    return this.parts.generator;
  }

  get apps(): readonly (readonly [string, App])[] {
    return [...this.parts.apps];
  }

  urlOf(name: string): string {
    return urlOf(this.parts.apps, name);
  }

  /** Returns the database URL of an app, which uses the app's own role. */
  databaseUrlOf(name: string): string {
    return this.parts.environment.apps[name]?.['DATABASE_URL'] ?? '';
  }

  async stopApp(name: string): Promise<void> {
    await this.parts.apps.get(name)?.child.stop();
  }

  /** Starts an app that was stopped. */
  async startApp(name: string): Promise<void> {
    this.parts.apps.set(name, await this.parts.startApp(name));
  }

  /** Returns what the generator needs to prepare purchases. */
  preparation(count: number): Preparation {
    const { apps, webhookSecret: secret, offers } = this.parts;
    return { webhookUrl: `${urlOf(apps, 'webhook-ingest')}/idp/payments/webhook`, secret, offers, count };
  }

  /** Returns the CPU milliseconds of each process so far. */
  cpu(): Counts {
    const { broker, sink, generator } = this.parts;
    return {
      ...Object.fromEntries(this.apps.map(([name, { child }]) => [name, cpuOfProcess(child.pid)])),
      postgres: cpuOfPostgres(this.postmaster),
      ...(broker === undefined ? {} : { kafka: broker.pid === undefined ? null : cpuOfProcess(broker.pid) }),
      generator: cpuOfProcess(generator.pid),
      sink: cpuOfProcess(sink.pid),
    };
  }

  /**
   * Returns how often the processes of the platform have been woken so far, in total; null where the system does not
   * count this.
   */
  wakeUps(): number | null {
    const ofApps = this.apps.map(([name, { child }]) => [name, wakeUpsOfProcess(child.pid)]);
    return sumOf({ ...Object.fromEntries(ofApps), postgres: wakeUpsOfPostgres(this.postmaster) }, PLATFORM);
  }

  /** Returns the last lines of each app's log, shortened. Leaves out the lines of level info. */
  lastWarnings(): string {
    const linesOf = ({ child }: App): string[] => child.lastLines(SHOWN_LINES, (line) => !line.includes(INFO));
    return this.apps
      .flatMap(([name, app]) => [`${name}:`, ...linesOf(app).map((line) => `  ${line.slice(0, SHOWN_COLUMNS)}`)])
      .join('\n');
  }
}

async function startBroker(home: string, cleanup: Cleanup): Promise<Broker> {
  const given = process.env['KAFKA_BROKERS'];
  if (given) return { brokers: given };
  const { child, ready } = await Child.start<{ brokers: string; pid: number }>({
    name: 'kafka',
    file: path.join(ROOT, 'tools/kafka/kafka.mjs'),
    args: ['--data', path.join(home, 'kafka'), '--cache', await kafkaCache()],
  });
  cleanup.add(() => child.stop());
  return ready;
}

/**
 * Creates the database, all schemas and the topics as `npm start` does. Before that, drops the database that an earlier
 * measurement left on the server.
 */
async function createDatabase(
  serverUrl: string,
  migrate: Environment,
  cleanup: Cleanup,
): Promise<{ client: Client; postmaster: number }> {
  const server = new Client({ connectionString: serverUrl });
  await server.connect();
  await setTracking(server, 'none');
  await server.query(`drop database if exists ${DATABASE} with (force)`);
  const { rows } = await server.query<{ pid: number }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`,
  );
  await server.end();
  const file = path.join(ROOT, 'tools/stack/migrate.mjs');
  await promisify(execFile)(process.execPath, [file], { env: { ...process.env, ...migrate } });
  const url = new URL(serverUrl);
  url.pathname = `/${DATABASE}`;
  const client = new Client({ connectionString: url.toString() });
  client.on('error', () => undefined); // when a run is interrupted, the server ends before this client does
  await client.connect();
  cleanup.add(() => client.end());
  return { client, postmaster: rows[0]?.pid ?? NaN };
}

interface AppsOptions {
  readonly home: string;
  readonly profiled: boolean;
  readonly ports: Readonly<Record<string, number>>;
}

/** Returns a function that starts an app of the chain by its name, always with the same settings. */
function appStarter(
  environment: StackEnvironment,
  { home, profiled, ports }: AppsOptions,
  cleanup: Cleanup,
): (name: string) => Promise<App> {
  // Used only in an older checkout, in which tools/stack does not set COUPON_HASH_KEY.
  const couponHashKey = randomBytes(32).toString('base64');
  const nodeArguments = profiled ? PROFILED : [];
  return (name) => {
    const env = {
      COUPON_HASH_KEY: couponHashKey,
      ...environment.apps[name],
      LOG_LEVEL: 'info',
      RATE_LIMIT_READ_PER_MINUTE: '1000000000', // a measurement reads pages with one token as fast as possible
    };
    const logFile = path.join(home, `${name}.log`);
    return startApp(name, { env, port: ports[name], logFile, nodeArguments }, cleanup);
  };
}

function urlOf(apps: Apps, name: string): string {
  const app = apps.get(name);
  if (!app) throw new Error(`${name} is not in apps/apps.js`);
  return app.url;
}
