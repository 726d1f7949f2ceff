import type { KubeObject } from './render';
import { containersOf, nameOf, workloadsOf } from './workloads';

/** Finds pods and containers that have more privileges than they need, no request or limit of resources, or an image that is not pinned. */
export const securityProblems = (objects: readonly KubeObject[]): string[] =>
  workloadsOf(objects).flatMap((workload) => {
    const pod = workload.spec.template.spec;
    return [...podProblems(pod), ...containersOf(workload).flatMap(containerProblems)].map(
      (problem) => `${nameOf(workload)}: ${problem}`,
    );
  });

const podProblems = ({ securityContext = {}, ...pod }: KubeObject): string[] => [
  ...(securityContext.runAsNonRoot === true && securityContext.runAsUser > 0 ? [] : ['may run as root']),
  ...(securityContext.seccompProfile?.type === 'RuntimeDefault' ? [] : ['has no seccomp profile']),
  ...(pod.automountServiceAccountToken === false ? [] : ['holds a token of the API server']),
  ...(pod.hostNetwork || pod.hostPID || pod.hostIPC ? ["shares what is the host's"] : []),
];

function containerProblems({
  name,
  image,
  imagePullPolicy,
  resources = {},
  securityContext = {},
}: KubeObject): string[] {
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return [
    ...(securityContext.runAsUser === 0 || securityContext.runAsNonRoot === false ? ['may run as root'] : []),
    ...(securityContext.privileged ? ['is privileged'] : []),
    ...(securityContext.readOnlyRootFilesystem === true ? [] : ['may write its root file system']),
    ...(securityContext.allowPrivilegeEscalation === false ? [] : ['may gain rights']),
    ...(securityContext.capabilities?.drop?.includes('ALL') ? [] : ['keeps capabilities']),
    ...(resources.requests?.cpu && resources.requests?.memory ? [] : ['requests no CPU or memory']),
    ...(resources.limits?.memory ? [] : ['has no limit of memory']),
    ...(tag && tag !== 'latest' && imagePullPolicy === 'IfNotPresent' ? [] : [`the image ${image} is not pinned`]),
  ].map((problem) => `container ${name} ${problem}`);
}
