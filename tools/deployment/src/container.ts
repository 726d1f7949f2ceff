import { ConfigError, loadConfig, MigrationConfig, type AppDefinition } from '@tandem/service-defaults';
import type { ComposeService } from './compose-file';

/** A container of this project, in a form that suits Docker Compose and Kubernetes. */
export interface Container {
  /** The service's name, for messages. */
  readonly name: string;
  readonly image: string;
  /** The arguments after the image's entry point. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The ports at which other containers reach this one. */
  readonly ports: readonly number[];
  readonly userId: number | undefined;
  readonly readOnlyRoot: boolean;
  readonly dropsAllCapabilities: boolean;
  readonly forbidsMorePrivileges: boolean;
}

/** Converts a service of docker-compose.yml to a container. */
export function containerOf(name: string, service: ComposeService): Container {
  return {
    name,
    image: service.image,
    args: service.command === undefined ? [] : [service.command].flat(),
    environment: Object.fromEntries(
      Object.entries(service.environment ?? {}).map(([variable, value]) => [variable, String(value)]),
    ),
    ports: (service.ports ?? []).map((port) => Number(port.split(':').at(-1))),
    userId: service.user === undefined ? undefined : Number(service.user.split(':')[0]),
    readOnlyRoot: service.read_only === true,
    dropsAllCapabilities: service.cap_drop?.includes('ALL') === true,
    forbidsMorePrivileges: service.security_opt?.includes('no-new-privileges:true') === true,
  };
}

/** Checks that a container has only the privileges that it needs. @returns one sentence per problem */
export function privilegeProblems(container: Container): string[] {
  const { name } = container;
  return [
    ...(container.userId !== undefined && container.userId > 0 ? [] : [`${name} runs as root, or sets no user`]),
    ...(container.readOnlyRoot ? [] : [`${name} can write its root file system`]),
    ...(container.dropsAllCapabilities ? [] : [`${name} keeps capabilities`]),
    ...(container.forbidsMorePrivileges ? [] : [`${name} can gain privileges`]),
  ];
}

/** Checks the image of a container. @param version the version in package.json @returns one sentence per problem */
export function imageProblems({ name, image }: Container, program: string, version: string): string[] {
  const expected = `tandem/${program}:${version}`;
  return image === expected ? [] : [`${name} has the image ${image}, not ${expected}`];
}

/** The variable that the Dockerfile of the apps sets and that decides which settings are refused. */
const OF_IMAGE = { NODE_ENV: 'production' };

/**
 * Checks that an app starts with its environment and without arguments, and listens where other containers expect it.
 *
 * @param expected the definition of the app, and its port in apps/apps.js
 * @returns one sentence per problem
 */
export function appProblems(container: Container, { app, port }: { app: AppDefinition; port: number }): string[] {
  const { name, environment, ports, args } = container;
  return [
    ...environmentProblems(name, () => loadConfig(app.config, { ...OF_IMAGE, ...environment })),
    ...(environment['PORT'] === String(port) ? [] : [`${name} listens on ${environment['PORT']}, not ${port}`]),
    ...(ports.length === 1 && ports[0] === port ? [] : [`${name} is reached at ${ports.join(', ')}, not ${port}`]),
    ...(args.length === 0 ? [] : [`${name} has arguments`]),
  ];
}

/**
 * Checks the migration of an app: it must start with its environment, run `migrate` of the app's image, and set the
 * password with which the app logs in. Its bus and brokers must be those of the app.
 *
 * @param container the container of the migration
 * @param app the container of the app
 * @returns one sentence per problem
 */
export function migrationProblems(container: Container, app: Container): string[] {
  const { name, args, environment } = container;
  const url = app.environment['DATABASE_URL'] ?? '';
  const password = URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
  return [
    ...environmentProblems(name, () => loadConfig(MigrationConfig, { ...OF_IMAGE, ...environment })),
    ...(args.join(' ') === 'migrate' ? [] : [`${name} does not migrate`]),
    ...(container.image === app.image ? [] : [`${name} has another image than ${app.name}`]),
    ...(environment['DATABASE_ROLE_PASSWORD'] === password
      ? []
      : [`${name} sets another password than ${app.name} has`]),
    ...((environment['EVENT_BUS'] ?? 'postgres') === (app.environment['EVENT_BUS'] ?? 'postgres')
      ? []
      : [`${name} has another bus`]),
    ...(environment['KAFKA_BROKERS'] === app.environment['KAFKA_BROKERS'] ? [] : [`${name} has other brokers`]),
  ];
}

function environmentProblems(name: string, load: () => unknown): string[] {
  try {
    load();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map((problem) => `${name}: ${problem}`);
    throw error;
  }
}
