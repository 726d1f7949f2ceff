import { APPS } from '../../../../apps/apps';
import type { KubeObject } from './render';

const WORKLOADS: readonly string[] = ['Deployment', 'StatefulSet', 'Job'];

/** Returns a name for messages, such as `Deployment/discovery`. */
export const nameOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;

export const workloadsOf = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.filter(({ kind }) => WORKLOADS.includes(kind));

export const containersOf = (workload: KubeObject): KubeObject[] => [
  ...(workload.spec.template.spec.initContainers ?? []),
  ...workload.spec.template.spec.containers,
];

export const find = (objects: readonly KubeObject[], kind: string, name: string): KubeObject | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

/** Finds the Job that migrates an app's schema. */
export const migrationOf = (objects: readonly KubeObject[], app: string): KubeObject | undefined =>
  objects.find(({ kind, metadata }) => kind === 'Job' && metadata.labels['app.kubernetes.io/name'] === app);

/** Returns the Deployments of the platform's apps that are among the objects. */
export const deploymentsOfApps = (objects: readonly KubeObject[]): KubeObject[] =>
  APPS.flatMap(({ name }) => find(objects, 'Deployment', name) ?? []);

/** Returns whether a workload's pods have these labels. */
export const selects = (labels: Readonly<Record<string, string>> = {}, workload: KubeObject): boolean =>
  Object.entries(labels).every(([name, value]) => workload.spec.template.metadata.labels?.[name] === value);
