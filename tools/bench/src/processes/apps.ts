import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { APPS } from '../../../../apps/apps';
import { Child, Cleanup, ROOT } from './child';

export type Environment = Record<string, string>;
export type Bus = 'postgres' | 'kafka';

/** The secrets that the benchmark itself reads. The apps get their secrets through their environment. */
export interface Secrets {
  /** The private keys with which the apps sign their calls of internal routes, by the name of the calling app. */
  readonly serviceKeys: Readonly<Record<string, string>>;
  readonly cursorSigningKeys: string;
  readonly rolePasswords: Readonly<Record<string, string>>;
}

interface StackOptions {
  readonly bus: Bus;
  readonly superuserUrl: string;
  readonly kafkaBrokers?: string;
  /** The ports on which the apps will listen. They are needed in advance by apps that call each other. */
  readonly ports?: Readonly<Record<string, number>>;
}

/** The environment that `npm start` gives to the programs of a stack. */
export interface StackEnvironment {
  readonly apps: Readonly<Record<string, Environment>>;
  readonly migrate: Environment;
  readonly edge: Environment;
  /** The secret that signs the webhooks of the billing provider. */
  readonly webhookSecret: string;
}

interface EnvironmentModule {
  environmentOf(stack: StackOptions & { secrets: Secrets }): StackEnvironment;
}

/**
 * Placeholders for the ports of apps whose ports are not known yet, or that are never called: the addresses of all apps
 * must be well-formed.
 */
const PORTS = { sandbox: 9, edge: 9, ...Object.fromEntries(APPS.map(({ name }) => [name, 9])) };

/** The names of all apps. Apps that do not handle sales also run, as in production. */
export const ALL_APPS = APPS.map(({ name }) => name);

/** Loads a module that `npm start` uses. */
const startModule = <Exports>(name: string): Promise<Exports> =>
  import(pathToFileURL(path.join(ROOT, 'tools/stack', name)).href) as Promise<Exports>;

let secrets: Promise<Secrets> | undefined;

/** Returns the secrets of this run. The first call creates them as `npm start` does for a new stack. */
export const secretsOfRun = (): Promise<Secrets> =>
  (secrets ??= startModule<{ makeSecrets(): Secrets }>('secrets.mjs').then(({ makeSecrets }) => makeSecrets()));

export async function stackEnvironment(options: StackOptions): Promise<StackEnvironment> {
  const { environmentOf } = await startModule<EnvironmentModule>('environment.mjs');
  return environmentOf({ ...options, ports: { ...PORTS, ...options.ports }, secrets: await secretsOfRun() });
}

/** The folder with the broker's jars. */
export const kafkaCache = async (): Promise<string> =>
  (await startModule<{ KAFKA_CACHE: string }>('paths.mjs')).KAFKA_CACHE;

export interface AppOptions {
  readonly env: Environment;
  /** The app's port; if omitted, a free port. */
  readonly port?: number;
  /** The file for the app's output; if omitted, the last lines are kept in memory. */
  readonly logFile?: string;
  readonly nodeArguments?: readonly string[];
}

export interface App {
  readonly child: Child;
  readonly url: string;
}

/**
 * Starts an app from its build in a separate process. NODE_ENV is not `production`: in production, an app refuses to
 * start with the development settings that a benchmark needs, such as POSTBACK_ALLOW_LOOPBACK.
 */
export async function startApp(name: string, { env, port = 0, ...rest }: AppOptions, cleanup: Cleanup): Promise<App> {
  const { child, ready } = await Child.start<{ url: string }>({
    name,
    file: path.join(ROOT, 'apps', name, 'dist/main.js'),
    env: { ...env, NODE_ENV: 'test', PORT: String(port) },
    ...rest,
  });
  cleanup.add(() => child.stop());
  return { child, url: ready.url };
}
