import path from 'node:path';
import type { AppDefinition } from '@tandem/service-defaults';
import { APPS, variableOf } from '../../../../apps/apps';
import { appProblems, type Container, migrationProblems } from '../../src';
import { type KubeObject, ROOT } from './render';
import { containersOf, deploymentsOfApps, find, migrationOf, nameOf, workloadsOf } from './workloads';

export type Environment = Record<string, string>;

/** Returns the decoded data of each Secret among the objects, by the name of the Secret. */
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

/** Builds the environment of a container as the kubelet does. */
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

/** Converts a workload's main container to a {@link Container}, the form to which the services of docker-compose.yml are converted too. */
function containerOf(
  workload: KubeObject,
  objects: readonly KubeObject[],
  secrets: Record<string, Environment>,
): Container {
  const pod = workload.spec.template.spec;
  const [container] = pod.containers;
  const { securityContext = {} } = container;
  return {
    name: nameOf(workload),
    image: container.image,
    args: container.args ?? [],
    environment: environmentOf(container, objects, secrets),
    ports: (find(objects, 'Service', workload.metadata.name)?.spec.ports ?? []).map(({ port }: KubeObject) => port),
    userId: pod.securityContext?.runAsUser,
    readOnlyRoot: securityContext.readOnlyRootFilesystem === true,
    dropsAllCapabilities: securityContext.capabilities?.drop?.includes('ALL') === true,
    forbidsMorePrivileges: securityContext.allowPrivilegeEscalation === false,
  };
}

/**
 * Finds:
 * - services and migrations whose config class refuses their environment
 * - services with another port than in apps/apps.js, or with the address of a Service that does not exist
 * - migrations whose password, bus or brokers differ from those of their service
 * - containers that set a variable twice
 *
 * @param secrets the Secrets of the namespace by name: those of the overlay, or samples of those that a Kubernetes
 *   operator creates
 */
export async function environmentProblems(
  objects: readonly KubeObject[],
  secrets: Record<string, Environment>,
): Promise<string[]> {
  const problems = deploymentsOfApps(objects).map(async (deployment) => {
    const { name } = deployment.metadata;
    // Imported by path, because an app is not a library of this project but the subject of its tests.
    const { app } = (await import(path.join(ROOT, 'apps', name, 'src/app'))) as { app: AppDefinition };
    const container = containerOf(deployment, objects, secrets);
    const job = migrationOf(objects, name);
    return [
      ...appProblems(container, { app, port: APPS.find((row) => row.name === name)?.port as number }),
      ...(job ? migrationProblems(containerOf(job, objects, secrets), container) : []),
      ...addressProblems(container, objects),
    ];
  });
  return [...(await Promise.all(problems)).flat(), ...repeatedVariables(objects)];
}

/** Finds variables that a container sets twice. A server-side apply refuses them. */
export const repeatedVariables = (objects: readonly KubeObject[]): string[] =>
  workloadsOf(objects).flatMap((workload) =>
    containersOf(workload).flatMap(({ env = [] }) => {
      const names: string[] = env.map(({ name }: KubeObject) => name);
      return names
        .filter((name, index) => names.indexOf(name) !== index)
        .map((name) => `${nameOf(workload)}: ${name} is set twice`);
    }),
  );

/**
 * Checks that each variable with the address of an app, such as `DISCOVERY_URL`, contains the Service of the app and
 * its port.
 */
const addressProblems = ({ name: service, environment }: Container, objects: readonly KubeObject[]): string[] =>
  APPS.flatMap(({ name }) => {
    const address = environment[variableOf(name, 'URL')];
    // An address that is not a URL is left to the config class, which reports it.
    if (address === undefined || !URL.canParse(address)) return [];
    const { hostname, port } = new URL(address);
    const ports = find(objects, 'Service', hostname)?.spec.ports ?? [];
    const isThere = hostname === name && ports.some((one: KubeObject) => String(one.port) === port);
    return isThere ? [] : [`${service}: ${variableOf(name, 'URL')} is ${address}, where there is no Service`];
  });
