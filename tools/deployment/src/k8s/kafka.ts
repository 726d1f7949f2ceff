import { deadLetterTopicOf, TOPOLOGY } from '@tandem/contracts';
import { stringify } from 'yaml';

/** A Kubernetes object in YAML form. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

const API = 'kafka.strimzi.io/v1';
const PORT = 9093;
const SERVICE = 'kafka-kafka-bootstrap';
/** The address of the Kafka cluster, which the overlays name `kafka`, for pods in its own namespace. */
const BOOTSTRAP = `${SERVICE}:${PORT}`;
/**
 * The address for pods in other namespaces, such as KEDA's. Strimzi's certificates contain this name. An overlay with another
 * namespace than `tandem` replaces the namespace.
 */
export const BOOTSTRAP_FROM_OUTSIDE = `${SERVICE}.tandem.svc:${PORT}`;
/** The name of the Secret in which Strimzi stores the CA of its brokers. */
export const CA_SECRET = 'kafka-cluster-ca-cert';
/** Returns the name of the Secret that Strimzi creates for a user. */
export const userSecretOf = (app: string): string => `kafka-${app}`;

const LABELS = { 'strimzi.io/cluster': 'kafka' };
/**
 * The maximum size of a dead letter. It is higher than that of an event, because a dead letter is an event with additional headers. libs/event-bus
 * has the same limit.
 */
const DEAD_LETTER_MAX_BYTES = 2 * 1024 * 1024;

/** The configuration of every topic. libs/event-bus also sets the last two of these settings on the topics that it creates, and explains why. */
const TOPIC_CONFIG = {
  'min.insync.replicas': 2,
  'compression.type': 'uncompressed',
  'message.timestamp.type': 'LogAppendTime',
};

const topic = (name: string, partitions: number, config: object): Manifest => ({
  apiVersion: API,
  kind: 'KafkaTopic',
  metadata: { name, labels: LABELS },
  spec: { partitions, replicas: 3, config: { ...TOPIC_CONFIG, ...config } },
});

/** Returns every topic of the topology with its dead-letter topic. */
export const kafkaTopics = (): Manifest[] =>
  TOPOLOGY.flatMap(({ event, partitions }) => [
    topic(event.topic, partitions, {}),
    topic(deadLetterTopicOf(event.topic), 1, { 'max.message.bytes': DEAD_LETTER_MAX_BYTES }),
  ]);

const acl = (type: 'topic' | 'group', name: string, ...operations: string[]) => ({
  resource: { type, name, patternType: 'literal' },
  operations,
});

/**
 * Returns an app's rights on Kafka. The app may
 * - write to the topics that it publishes
 * - read the topics that it handles, with its own consumer group
 * - write to the dead-letter topics of the topics that it handles
 */
function accessOf(app: string): object[] {
  const published = TOPOLOGY.filter(({ publishers }) => publishers.includes(app));
  const handled = TOPOLOGY.filter(({ consumers }) => consumers.includes(app));
  // The migration needs this right to check that the dead-letter topics of the app's published topics exist.
  const described = published.filter((one) => !handled.includes(one));
  return [
    ...published.map(({ event }) => acl('topic', event.topic, 'Describe', 'Write')),
    ...described.map(({ event }) => acl('topic', deadLetterTopicOf(event.topic), 'Describe')),
    ...handled.flatMap(({ event }) => [
      acl('topic', event.topic, 'Describe', 'Read'),
      acl('topic', deadLetterTopicOf(event.topic), 'Describe', 'Write'),
    ]),
    ...(handled.length > 0 ? [acl('group', app, 'Describe', 'Read')] : []),
  ];
}

/** Returns the apps that publish or handle an event, in the order of the topology. */
export const appsOnKafka = (): string[] => [
  ...new Set(TOPOLOGY.flatMap(({ publishers, consumers }) => [...publishers, ...consumers])),
];

/** Returns a user for each app on Kafka, with the rights from the topology. */
export const kafkaUsers = (): Manifest[] =>
  appsOnKafka().map((app) => ({
    apiVersion: API,
    kind: 'KafkaUser',
    metadata: { name: app, labels: { ...LABELS, 'app.kubernetes.io/name': app } },
    spec: {
      authentication: { type: 'scram-sha-512' },
      authorization: { type: 'simple', acls: accessOf(app) },
    },
  }));

/** Returns a variable from a Secret that a Kubernetes operator creates. Pods may start before the Secret exists. */
const fromSecret = (variable: string, name: string, key: string) => ({
  name: variable,
  valueFrom: { secretKeyRef: { name, key, optional: true } },
});

/** Returns the login of an app's pods and of its migration. Without KAFKA_SASL_PASSWORD, they exit with code 78 and are restarted. */
const credentialsOf = (app: string): object[] => [
  { name: 'KAFKA_BROKERS', value: BOOTSTRAP },
  { name: 'KAFKA_SASL_USERNAME', value: app },
  fromSecret('KAFKA_SASL_PASSWORD', userSecretOf(app), 'password'),
  fromSecret('KAFKA_TLS_CA', CA_SECRET, 'ca.crt'),
];

const KAFKA_EGRESS = {
  to: [{ podSelector: { matchLabels: { 'tandem.dev/store': 'kafka' } } }],
  ports: [{ port: PORT }],
};

/** Returns a patch of an app's objects of the given kind: a list of JSON Patch operations, or fields to merge. */
const patchOf = (app: string, kind: string, patch: object) => ({
  target: { kind, labelSelector: `app.kubernetes.io/name=${app}` },
  patch: stringify(patch, { aliasDuplicateObjects: false }),
});

/**
 * Returns a patch of a container's environment. The patch is merged by the names of the variables, because k8s/base gives migrations another
 * KAFKA_BROKERS, which must not remain.
 */
const loginOf = (app: string, apiVersion: string, kind: string, container: string) =>
  patchOf(app, kind, {
    apiVersion,
    kind,
    metadata: { name: 'any' },
    spec: { template: { spec: { containers: [{ name: container, env: credentialsOf(app) }] } } },
  });

/** Returns the component with which each app on Kafka reaches the brokers as its own user. */
export const kafkaCredentials = (): object[] => [
  {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    patches: appsOnKafka().flatMap((app) => [
      loginOf(app, 'apps/v1', 'Deployment', 'app'),
      loginOf(app, 'batch/v1', 'Job', 'migrate'),
      patchOf(app, 'NetworkPolicy', [{ op: 'add', path: '/spec/egress/-', value: KAFKA_EGRESS }]),
    ]),
  },
];
