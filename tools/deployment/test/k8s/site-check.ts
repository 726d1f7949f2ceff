import path from 'node:path';
import { SITES, type SiteRow } from '../../../../apps/apps';
import { environmentOf, type Environment } from './environment-check';
import { companionProblems } from './platform-check';
import { type KubeObject, ROOT } from './render';
import { find } from './workloads';

/** How long callers keep an idle connection to a site: as long as to a service (platform-check.ts). */
const IDLE_CONNECTION_SECONDS = 4;

const CONSOLE = 'console';

/** Returns the problems of sites that do not match the table of sites, have invalid settings, or stop too early. */
export async function siteProblems(objects: readonly KubeObject[], sites = SITES): Promise<string[]> {
  const problems = await Promise.all(sites.map((site) => problemsOf(site, objects)));
  return problems.flat().map((problem) => `Deployment/${problem}`);
}

async function problemsOf({ name, port, routes }: SiteRow, objects: readonly KubeObject[]): Promise<string[]> {
  const deployment = find(objects, 'Deployment', name);
  if (!deployment) return [`${name}: there is no Deployment ${name}`];
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  const own = [container.ports[0].containerPort, find(objects, 'Service', name)?.spec.ports[0].port];
  const image = String(container.image).replace(/:[^:/]*$/, '');
  const seconds = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
  return [
    ...(own.every((one) => one === port)
      ? []
      : [`the port of its container is ${own[0]}, of its Service is ${own[1]}`]),
    ...(image.endsWith(`tandem/${name}`) ? [] : [`the image is ${container.image}, not tandem/${name}`]),
    ...(container.startupProbe && container.livenessProbe && container.readinessProbe ? [] : ['lacks a probe']),
    ...(seconds > IDLE_CONNECTION_SECONDS ? [] : ['ends before its callers know it']),
    ...(seconds < pod.terminationGracePeriodSeconds ? [] : ['is killed before its stop has ended']),
    ...(deployment.spec.strategy.rollingUpdate.maxUnavailable === 0 ? [] : ['has fewer pods while it is rolled out']),
    ...companionProblems(deployment, objects),
    // Only the console has settings, and the only links from an app to a site lead to the console.
    ...(name === CONSOLE ? await settingsProblems(environmentOf(container, objects, {}), objects) : []),
    ...(name === CONSOLE ? placeProblems(routes[0]?.prefix ?? '', objects) : []),
  ].map((problem) => `${name}: ${problem}`);
}

const environmentOfApp = (app: string, objects: readonly KubeObject[]): Environment | undefined => {
  const deployment = find(objects, 'Deployment', app);
  return deployment && environmentOf(deployment.spec.template.spec.containers[0], objects, {});
};

/** Checks that the console's settings are valid, and that partner-gateway and idp-support accept tokens of its issuer. */
async function settingsProblems(environment: Environment, objects: readonly KubeObject[]): Promise<string[]> {
  // Imported by path, because the edge is not a library of this project.
  const { readConsole } = (await import(path.join(ROOT, 'tools/edge/src/config'))) as {
    readConsole: (env: NodeJS.ProcessEnv) => { issuer: string };
  };
  try {
    const { issuer } = readConsole(environment);
    return ['partner-gateway', 'idp-support']
      .map((app) => [app, environmentOfApp(app, objects)?.['JWT_SERVICE_ISSUER']] as const)
      .filter(([, accepted]) => accepted !== undefined && accepted !== issuer)
      .map(([app]) => `${app} refuses its tokens: it accepts those of another issuer`);
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Checks that portal links open the console at the base URL, because the console calls only the APIs at its own origin. */
function placeProblems(prefix: string, objects: readonly KubeObject[]): string[] {
  const url = environmentOfApp('partner-gateway', objects)?.['CONSOLE_URL'];
  if (url === undefined) return [];
  const hosts = objects.flatMap(({ kind, spec }): string[] =>
    kind === 'Ingress'
      ? spec.rules.map(({ host }: KubeObject) => host)
      : kind === 'Gateway'
        ? spec.listeners.map(({ hostname }: KubeObject) => hostname)
        : [],
  );
  const { hostname, pathname } = new URL(url);
  const isThere = pathname === prefix && (hosts.length === 0 || hosts.includes(hostname));
  return isThere ? [] : [`CONSOLE_URL of partner-gateway is ${url}, which is not ${prefix} of the base URL`];
}
