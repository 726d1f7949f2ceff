import { kafkaCredentials, kafkaTopics, kafkaUsers } from './kafka';
import { httpRoutes, ingress } from './routes';
import { autoscalers } from './scaling';

/** A file of manifests that is generated from the topology or from the table of apps. */
export interface GeneratedFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  /** The source from which it is generated. */
  readonly from: string;
  readonly objects: () => object[];
}

const COMPONENTS = 'k8s/components';
const TOPOLOGY_FILE = 'libs/contracts/src/events/topology.ts';
const APPS_FILE = 'apps/apps.js';

export const GENERATED_FILES: readonly GeneratedFile[] = [
  { path: `${COMPONENTS}/strimzi/topics.yaml`, from: TOPOLOGY_FILE, objects: kafkaTopics },
  { path: `${COMPONENTS}/strimzi/users.yaml`, from: TOPOLOGY_FILE, objects: kafkaUsers },
  { path: `${COMPONENTS}/strimzi/credentials/kustomization.yaml`, from: TOPOLOGY_FILE, objects: kafkaCredentials },
  { path: `${COMPONENTS}/autoscaling/autoscalers.yaml`, from: TOPOLOGY_FILE, objects: autoscalers },
  { path: `${COMPONENTS}/ingress/ingress.yaml`, from: APPS_FILE, objects: ingress },
  { path: `${COMPONENTS}/gateway/routes.yaml`, from: APPS_FILE, objects: httpRoutes },
];
