import path from 'node:path';
import { type AppDefinition, ConfigError, loadConfig } from '@tandem/service-defaults';
import { APPS, variableOf } from '../../../apps/apps';
import { type KubeObject, ROOT } from './render';
import { deploymentsOfApps, find, nameOf } from './workloads';

export type Environment = Record<string, string>;

/** The keys of each Secret that a service's team fills in, with values that its config class takes. */
export const secretsOf = (objects: readonly KubeObject[]): Record<string, Environment> =>
  Object.fromEntries(
    objects
      .filter(({ kind }) => kind === 'Secret')
      .map(({ metadata, data }) => [
        metadata.name,
        Object.fromEntries(
          Object.entries<string>(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
        ),
      ]),
  );

/** The environment of a container, as the kubelet makes it. */
export function environmentOf(
  { env = [], envFrom = [] }: KubeObject,
  objects: readonly KubeObject[],
  secrets: Record<string, Environment>,
): Environment {
  const environment: Environment = {};
  for (const { configMapRef, secretRef } of envFrom) {
    if (configMapRef) Object.assign(environment, find(objects, 'ConfigMap', configMapRef.name)?.data);
    if (secretRef) Object.assign(environment, secrets[secretRef.name]);
  }
  for (const { name, value, valueFrom } of env) {
    const ref = valueFrom?.secretKeyRef;
    const given = ref ? (secrets[ref.name]?.[ref.key] ?? '') : value;
    environment[name] = given.replace(/\$\((\w+)\)/g, (text: string, other: string) => environment[other] ?? text);
  }
  return environment;
}

/**
 * Services whose environment their config class refuses, or leads to an address where nothing is.
 * @param secrets of the namespace, by name: those that the overlay makes, or samples of those that an operator makes
 */
export async function environmentProblems(
  objects: readonly KubeObject[],
  secrets: Record<string, Environment>,
): Promise<string[]> {
  const problems = deploymentsOfApps(objects).map(async (deployment) => {
    const environment = environmentOf(deployment.spec.template.spec.containers[0], objects, secrets);
    return [
      ...(await configProblems(deployment.metadata.name, environment)),
      ...addressProblems(environment, objects),
      ...(environment.EVENT_BUS === 'postgres' ? ['its events are on Postgres'] : []),
    ].map((problem) => `${nameOf(deployment)}: ${problem}`);
  });
  return (await Promise.all(problems)).flat();
}

async function configProblems(name: string, environment: Environment): Promise<string[]> {
  // By path: an app is no library of this project, it is what the project tests.
  const { app } = (await import(path.join(ROOT, 'apps', name, 'src/app'))) as { app: AppDefinition };
  try {
    loadConfig(app.config, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems];
    throw error;
  }
}

/** `DISCOVERY_URL` and the like must be the app's Service and its port. */
const addressProblems = (environment: Environment, objects: readonly KubeObject[]): string[] =>
  APPS.flatMap(({ name }) => {
    const address = environment[variableOf(name, 'URL')];
    // Its config class says what is wrong with one that is no URL.
    if (address === undefined || !URL.canParse(address)) return [];
    const { hostname, port } = new URL(address);
    const service = find(objects, 'Service', hostname);
    const isThere = hostname === name && service?.spec.ports.some((one: KubeObject) => String(one.port) === port);
    return isThere ? [] : [`${variableOf(name, 'URL')} is ${address}, where no Service is`];
  });
