import { TOPOLOGY } from '@tandem/contracts';
import { APPS } from '../../../../apps/apps';
import { BOOTSTRAP_FROM_OUTSIDE, CA_SECRET, type Manifest, userSecretOf } from './kafka';

const MIN_REPLICAS = 2;
/**
 * The maximum number of replicas of a consumer: the highest number of partitions of a topic. Any further replica would
 * get no partition.
 */
const MAX_CONSUMERS = Math.max(...TOPOLOGY.map(({ partitions }) => partitions));
const MAX_SERVERS = 10;
/** The lag per replica, in events, above which KEDA starts another replica. */
const LAG = '500';
const CPU_PERCENT = 70;

const topicsOf = (app: string): string[] =>
  TOPOLOGY.filter(({ consumers }) => consumers.includes(app)).map(({ event }) => event.topic);

const metadataOf = (app: string) => ({ name: app, labels: { 'app.kubernetes.io/name': app } });

const lagTrigger = (app: string, topic: string) => ({
  type: 'kafka',
  authenticationRef: { name: app },
  metadata: {
    bootstrapServers: BOOTSTRAP_FROM_OUTSIDE,
    sasl: 'scram_sha512',
    tls: 'enable',
    consumerGroup: app,
    topic,
    lagThreshold: LAG,
    // A group that has not committed an offset reads the topic from its start, so all events of the topic count as its lag.
    offsetResetPolicy: 'earliest',
  },
});

/** Lets KEDA read the lag as the app's own Kafka user, which may read the app's consumer group. */
const authentication = (app: string): Manifest => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'TriggerAuthentication',
  metadata: metadataOf(app),
  spec: {
    env: [{ parameter: 'username', name: 'KAFKA_SASL_USERNAME', containerName: 'app' }],
    secretTargetRef: [
      { parameter: 'password', name: userSecretOf(app), key: 'password' },
      { parameter: 'ca', name: CA_SECRET, key: 'ca.crt' },
    ],
  },
});

/** Scales by the number of postbacks that have been due for a minute without being sent, although their endpoints are not paused. */
const dueTrigger = {
  type: 'prometheus',
  metadata: {
    serverAddress: 'http://prometheus-operated.monitoring:9090',
    query: 'max(postback_deliveries_overdue) or vector(0)',
    threshold: '1000',
  },
};

/** Scales a consumer by the lag of its topics and by its CPU usage, and postback-dispatcher also by the number of its overdue postbacks. */
const consumer = (app: string): Manifest => ({
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: metadataOf(app),
  spec: {
    scaleTargetRef: { name: app },
    minReplicaCount: MIN_REPLICAS,
    maxReplicaCount: MAX_CONSUMERS,
    triggers: [
      ...topicsOf(app).map((topic) => lagTrigger(app, topic)),
      ...(app === 'postback-dispatcher' ? [dueTrigger] : []),
      { type: 'cpu', metricType: 'Utilization', metadata: { value: String(CPU_PERCENT) } },
    ],
  },
});

const server = (app: string): Manifest => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: metadataOf(app),
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: app },
    minReplicas: MIN_REPLICAS,
    maxReplicas: MAX_SERVERS,
    metrics: [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_PERCENT } } },
    ],
  },
});

/** Returns one autoscaler per app: two for the same Deployment would work against each other. */
export const autoscalers = (): Manifest[] =>
  APPS.flatMap(({ name }) => (topicsOf(name).length > 0 ? [authentication(name), consumer(name)] : [server(name)]));
