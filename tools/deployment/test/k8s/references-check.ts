import type { KubeObject } from './render';
import { containersOf, find, nameOf, selects, workloadsOf } from './workloads';

/** Finds dangling references between objects. */
export const referenceProblems = (objects: readonly KubeObject[]): string[] => [
  ...workloadsOf(objects).flatMap((workload) => podProblems(workload, objects)),
  ...objects.filter(({ kind }) => kind === 'Service').flatMap((service) => serviceProblems(service, objects)),
  ...objects.flatMap((object) => selectorProblems(object, objects)),
  ...objects.flatMap((object) => backendProblems(object, objects)),
];

/** Finds missing objects, volumes and ports to which a pod refers. Optional Secrets may be missing: a Kubernetes operator creates them later. */
function podProblems(workload: KubeObject, objects: readonly KubeObject[]): string[] {
  const { serviceAccountName, volumes = [] } = workload.spec.template.spec;
  const claims = (workload.spec.volumeClaimTemplates ?? []).map(({ metadata }: KubeObject) => ({
    name: metadata.name,
  }));
  const needs = [
    ...(serviceAccountName ? [['ServiceAccount', serviceAccountName]] : []),
    ...containersOf(workload).flatMap(sourcesOf),
    ...volumes.flatMap((volume: KubeObject) =>
      volume.persistentVolumeClaim ? [['PersistentVolumeClaim', volume.persistentVolumeClaim.claimName]] : [],
    ),
  ] as [string, string][];
  const mounted = containersOf(workload).flatMap(({ volumeMounts = [] }) =>
    volumeMounts.map(({ name }: KubeObject) => name),
  );
  const known = [...volumes, ...claims].map(({ name }) => name);
  return [
    ...needs.filter(([kind, name]) => !find(objects, kind, name)).map(([kind, name]) => `there is no ${kind} ${name}`),
    ...mounted.filter((name) => !known.includes(name)).map((name) => `there is no volume ${name}`),
    ...containersOf(workload).flatMap(probeProblems),
  ].map((problem) => `${nameOf(workload)}: ${problem}`);
}

const sourcesOf = ({ env = [], envFrom = [] }: KubeObject): [string, string][] => [
  ...envFrom.flatMap(({ configMapRef, secretRef }: KubeObject) => [
    ...(configMapRef ? [['ConfigMap', configMapRef.name]] : []),
    ...(secretRef && !secretRef.optional ? [['Secret', secretRef.name]] : []),
  ]),
  ...env.flatMap(({ valueFrom }: KubeObject) =>
    valueFrom?.secretKeyRef && !valueFrom.secretKeyRef.optional ? [['Secret', valueFrom.secretKeyRef.name]] : [],
  ),
];

function probeProblems(container: KubeObject): string[] {
  const ports = (container.ports ?? []).map(({ name }: KubeObject) => name);
  return ['startupProbe', 'livenessProbe', 'readinessProbe']
    .map((probe) => [probe, (container[probe]?.httpGet ?? container[probe]?.tcpSocket)?.port] as const)
    .filter(([, port]) => typeof port === 'string' && !ports.includes(port))
    .map(([probe, port]) => `${probe} asks the port ${port}, which the container does not have`);
}

function serviceProblems(service: KubeObject, objects: readonly KubeObject[]): string[] {
  const selected = workloadsOf(objects).filter((workload) => selects(service.spec.selector, workload));
  const ports = selected
    .flatMap(containersOf)
    .flatMap(({ ports: own = [] }) => own.map(({ name }: KubeObject) => name));
  return [
    ...(selected.length === 1 ? [] : [`selects ${selected.length} workloads`]),
    ...service.spec.ports
      .filter(({ targetPort }: KubeObject) => !ports.includes(targetPort))
      .map(({ targetPort }: KubeObject) => `the port ${targetPort} is none of its pods`),
  ].map((problem) => `${nameOf(service)}: ${problem}`);
}

/** Labels of pods that Kubernetes operators create. Such pods are not among the objects. */
const OF_OPERATORS: readonly string[] = ['cnpg.io/cluster', 'strimzi.io/cluster'];

function selectorProblems(object: KubeObject, objects: readonly KubeObject[]): string[] {
  const { kind, spec = {} } = object;
  if (kind === 'ScaledObject' || kind === 'HorizontalPodAutoscaler') {
    const { name } = spec.scaleTargetRef;
    return find(objects, 'Deployment', name) ? [] : [`${nameOf(object)}: there is no Deployment ${name}`];
  }
  const selectors: KubeObject[] =
    {
      PodDisruptionBudget: [spec.selector],
      PodMonitor: [spec.selector],
      NetworkPolicy: [spec.podSelector, ...podPeersOf(spec)],
    }[kind as string] ?? [];
  return selectors
    .map(({ matchLabels = {} }) => matchLabels as Record<string, string>)
    .filter(
      (labels) => !Object.keys(labels).some((label) => OF_OPERATORS.includes(label) || label === 'tandem.dev/store'),
    )
    .filter((labels) => !workloadsOf(objects).some((workload) => selects(labels, workload)))
    .filter((labels) => labels['app.kubernetes.io/name'] !== 'edge')
    .map((labels) => `${nameOf(object)}: selects no pod: ${JSON.stringify(labels)}`);
}

const podPeersOf = ({ ingress = [], egress = [] }: KubeObject): KubeObject[] =>
  [...ingress.flatMap(({ from = [] }) => from), ...egress.flatMap(({ to = [] }) => to)].flatMap(
    ({ podSelector }: KubeObject) => podSelector ?? [],
  );

/** Finds routes of the base URL to a Service that does not exist, or that lacks the port. */
function backendProblems(object: KubeObject, objects: readonly KubeObject[]): string[] {
  const backends: { name: string; port: string | number }[] =
    object.kind === 'Ingress'
      ? object.spec.rules.flatMap(({ http }: KubeObject) =>
          http.paths.map(({ backend: { service } }: KubeObject) => ({ name: service.name, port: service.port.name })),
        )
      : object.kind === 'HTTPRoute'
        ? object.spec.rules.flatMap(({ backendRefs }: KubeObject) => backendRefs)
        : [];
  return backends
    .filter(({ name, port }) => {
      const ports = find(objects, 'Service', name)?.spec.ports ?? [];
      return !ports.some((one: KubeObject) => one.name === port || one.port === port);
    })
    .map(({ name, port }) => `${nameOf(object)}: there is no Service ${name} with the port ${port}`);
}
