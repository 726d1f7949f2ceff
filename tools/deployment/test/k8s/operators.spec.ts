import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repeatedVariables } from './environment-check';
import { describeRendered, type KubeObject, render, renderChanged, ROOT } from './render';
import { find } from './workloads';

const of = (objects: readonly KubeObject[], kind: string): KubeObject[] =>
  objects.filter((object) => object.kind === kind);

/** The settings without which the Pod Security Standard `restricted` refuses a pod. */
const POD = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
const CONTAINER = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };

const page = (file: string): string => readFileSync(path.join(ROOT, 'docs', file), 'utf8');

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
      // The template of a pool replaces fields of the same name in the template of the cluster.
      const { pod, kafkaContainer, initContainer } = { ...template, ...spec.template };
      // This security context replaces Strimzi's own, so it must contain the group 0, with which the broker can write
      // to its volume.
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

  it('CloudNativePG finds a network policy that connects the pods of all Clusters, even of one restored next to postgres', () => {
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

  it('needs several zones in production, but also starts in a single zone in staging', () => {
    expect(affinityIn('production')).toBe('required');
    expect(affinityIn('staging')).toBe('preferred');
  });

  it('has the label by which network policies let apps reach it, like the second Cluster in restore.md', () => {
    const { labels } = find(render('k8s/overlays/production'), 'Cluster', 'postgres').spec.inheritedMetadata;
    expect(labels).toEqual({ 'tandem.dev/store': 'postgres' });
    expect(page('restore.md')).toContain('tandem.dev/store: postgres');
  });
});

describe('the docs', () => {
  /** Returns the commands of a page. A command that ends with a backslash includes the next line. */
  const commandsOf = (file: string): string[] =>
    page(file)
      .replace(/ \\\n */g, ' ')
      .split('\n')
      .filter((line) => /^ {4,}\S/.test(line))
      .map((line) => line.trim());

  it('restore.md sets back a consumer group on Kubernetes with the login and the CA of the app', () => {
    const commands = commandsOf('restore.md');
    const onKubernetes = commands.filter((line) => /kubectl.*kafka-consumer-groups\.sh/.test(line));
    expect(onKubernetes.length).toBeGreaterThan(0);
    for (const command of onKubernetes) expect(command).toContain('--command-config');
    const properties = ['security.protocol', 'sasl.mechanism', 'sasl.jaas.config', 'ssl.truststore.certificates'];
    for (const property of properties) expect(commands.join('\n')).toContain(`${property}=`);
  });

  it('kubernetes.md restarts the Deployment of each Kafka user, because pods read the CA of the brokers only at their start', () => {
    expect(page('kubernetes.md')).toMatch(/^ *for app in .*get kafkausers.*; do\n.*rollout restart deployment\/\$app/m);
  });
});
