import { APPS } from '../../../../apps/apps';
import { environmentOf, type Environment } from './environment-check';
import type { KubeObject } from './render';
import { containersOf, deploymentsOfApps, find, migrationOf, nameOf, selects } from './workloads';

/**
 * Finds:
 * - Deployments that are missing
 * - ports, images and migrations that do not match the table of apps
 * - stops that are too short
 * - Deployments without a probe, disruption budget, network policy or spread over nodes
 */
export const platformProblems = (
  objects: readonly KubeObject[],
  secrets: Record<string, Environment>,
  apps: readonly string[] = APPS.map(({ name }) => name),
): string[] => [
  ...apps.filter((app) => !find(objects, 'Deployment', app)).map((app) => `there is no Deployment ${app}`),
  ...deploymentsOfApps(objects).flatMap((deployment) =>
    [
      ...portProblems(deployment),
      ...imageProblems(deployment, objects),
      ...stopProblems(deployment, objects, secrets),
      ...companionProblems(deployment, objects),
    ].map((problem) => `${nameOf(deployment)}: ${problem}`),
  ),
];

/** Checks the container's port. environment-check.ts checks PORT and the port of the Service. */
function portProblems({ metadata, spec }: KubeObject): string[] {
  const port = APPS.find(({ name }) => name === metadata.name)?.port;
  const { containerPort } = spec.template.spec.containers[0].ports[0];
  return containerPort === port ? [] : [`the port of its container is ${containerPort}, that of apps/apps.js ${port}`];
}

/**
 * Checks that all containers of the app (the init container included) and of its migration have the same image,
 * `tandem/<app>`. Also checks that the migration's name ends with the tag of the image. Tags may differ between apps.
 */
function imageProblems(deployment: KubeObject, objects: readonly KubeObject[]): string[] {
  const { name } = deployment.metadata;
  const job = migrationOf(objects, name);
  if (!job) return ['has no migration'];
  const images = [...containersOf(deployment), ...containersOf(job)].map(({ image }) => image as string);
  const [image] = images as [string];
  const tag = image.slice(image.lastIndexOf(':') + 1);
  return [
    ...(images.every((one) => one === image) ? [] : [`has images of several versions: ${images.join(', ')}`]),
    ...(image.replace(/:[^:/]*$/, '').endsWith(`tandem/${name}`) ? [] : [`the image is ${image}, not tandem/${name}`]),
    ...(job.metadata.name === `${name}-migrate-${tag}`
      ? []
      : [`its migration of ${tag} is named ${job.metadata.name}`]),
  ];
}

/** How long callers keep an idle connection. A stopping app must keep serving for longer than this (docs/releases.md). */
const IDLE_CONNECTION_MS = 4_000;

/**
 * Finds settings of stops and rollouts that make requests fail. A stopping app must keep serving while its callers move to other pods, and the whole
 * stop must fit into the kubelet's grace period.
 */
function stopProblems(deployment: KubeObject, objects: readonly KubeObject[], secrets: Record<string, Environment>) {
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  const { SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS } = environmentOf(container, objects, secrets);
  const delayMs = Number(SHUTDOWN_DELAY_MS ?? 0);
  const stopMs = (container.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000 + delayMs + Number(SHUTDOWN_TIMEOUT_MS);
  const { maxUnavailable } = deployment.spec.strategy.rollingUpdate;
  return [
    ...(stopMs < pod.terminationGracePeriodSeconds * 1000 ? [] : ['is killed before its stop has ended']),
    ...(delayMs > IDLE_CONNECTION_MS ? [] : ['ends before its callers know it']),
    ...(container.readinessProbe?.periodSeconds === 1 ? [] : ['is not asked every second whether it is ready']),
    ...(maxUnavailable === 0 ? [] : ['has fewer pods while it is rolled out']),
    ...(container.startupProbe && container.livenessProbe && container.readinessProbe ? [] : ['lacks a probe']),
  ];
}

/** Finds a Deployment without a disruption budget or a network policy, or whose pods are not spread over nodes. */
export function companionProblems(deployment: KubeObject, objects: readonly KubeObject[]): string[] {
  const covers = (kind: string, labels: (object: KubeObject) => Record<string, string>): boolean =>
    objects.some((object) => object.kind === kind && selects(labels(object), deployment));
  const { name } = deployment.metadata;
  return [
    ...(covers('PodDisruptionBudget', ({ spec }) => spec.selector.matchLabels) ? [] : ['has no PodDisruptionBudget']),
    ...(find(objects, 'NetworkPolicy', name) ? [] : ['has no NetworkPolicy']),
    ...(deployment.spec.template.spec.topologySpreadConstraints?.length ? [] : ['is not spread over nodes']),
  ];
}
