import { repeatedVariables } from './environment-check';
import { describeRendered, type KubeObject, render, renderChanged } from './render';
import { find } from './workloads';

const of = (objects: readonly KubeObject[], kind: string): KubeObject[] =>
  objects.filter((object) => object.kind === kind);

/** The settings without which the Pod Security Standard `restricted` refuses a pod. */
const POD = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
const CONTAINER = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

describeRendered.each(['staging', 'production'])('what Kubernetes operators do in %s', (name) => {
  const objects = (): KubeObject[] => render(`k8s/overlays/${name}`);

  it('KEDA, which runs in its own namespace, finds Kafka in the namespace of the overlay', () => {
    const [{ metadata: namespace }] = of(objects(), 'Namespace') as [KubeObject];
    const triggers = of(objects(), 'ScaledObject').flatMap(({ spec }): KubeObject[] => spec.triggers);
    const addresses = triggers.filter(({ type }) => type === 'kafka').map(({ metadata }) => metadata.bootstrapServers);
    expect(addresses.length).toBeGreaterThan(0);
    expect([...new Set(addresses)]).toEqual([`kafka-kafka-bootstrap.${namespace.name}.svc:9093`]);
  });

  it('Strimzi creates pods of Kafka that the namespace accepts', () => {
    const { template } = find(objects(), 'Kafka', 'kafka').spec.kafka;
    for (const { spec } of of(objects(), 'KafkaNodePool')) {
      // What a pool defines replaces what the cluster defines.
      const { pod, kafkaContainer, initContainer } = { ...template, ...spec.template };
      // A security context of its own replaces Strimzi's, by whose group 0 the broker can write to its volume.
      expect(pod.securityContext).toMatchObject({ ...POD, fsGroup: 0 });
      expect(kafkaContainer?.securityContext).toMatchObject(CONTAINER);
      expect(initContainer?.securityContext).toMatchObject(CONTAINER);
    }
  });

  it('Strimzi creates an entity operator that the namespace accepts', () => {
    const { template = {} } = find(objects(), 'Kafka', 'kafka').spec.entityOperator;
    expect(template.pod?.securityContext).toMatchObject(POD);
    expect(template.topicOperatorContainer?.securityContext).toMatchObject(CONTAINER);
    expect(template.userOperatorContainer?.securityContext).toMatchObject(CONTAINER);
  });

  it('CloudNativePG connects the pods of each Cluster, also of one that is restored next to postgres', () => {
    const pods = { matchExpressions: [{ key: 'cnpg.io/cluster', operator: 'Exists' }] };
    const { podSelector, ingress } = find(objects(), 'NetworkPolicy', 'postgres').spec;
    expect(podSelector).toEqual(pods);
    expect(ingress).toContainEqual({ from: [{ podSelector: pods }] });
  });
});

describeRendered('production without External Secrets', () => {
  it('sets no variable of a container twice', () => {
    const changed = renderChanged('k8s/overlays/production', 'kustomization.yaml', (text) =>
      text.replace(/^.*components\/external-secrets\n/m, ''),
    );
    expect(of(changed, 'ExternalSecret')).toEqual([]);
    expect(repeatedVariables(changed)).toEqual([]);
  });
});

describeRendered('Postgres', () => {
  const affinityIn = (overlay: string): string =>
    find(render(`k8s/overlays/${overlay}`), 'Cluster', 'postgres').spec.affinity.podAntiAffinityType;

  it('runs in several zones in production, and starts in one zone in staging', () => {
    expect(affinityIn('production')).toBe('required');
    expect(affinityIn('staging')).toBe('preferred');
  });
});
