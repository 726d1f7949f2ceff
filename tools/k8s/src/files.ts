import * as prettier from 'prettier';
import { stringify } from 'yaml';
import { kafkaCredentials, kafkaTopics, kafkaUsers } from './kafka';
import { httpRoutes, ingress } from './routes';
import { autoscalers } from './scaling';

interface GeneratedFile {
  readonly path: string;
  readonly from: string;
  readonly objects: () => object[];
}

const COMPONENTS = 'k8s/components';
const TOPOLOGY_FILE = 'libs/contracts/src/events/topology.ts';
const APPS_FILE = 'apps/apps.js';

/** The manifests that follow from the topology and from the table of apps. */
const FILES: readonly GeneratedFile[] = [
  { path: `${COMPONENTS}/strimzi/topics.yaml`, from: TOPOLOGY_FILE, objects: kafkaTopics },
  { path: `${COMPONENTS}/strimzi/users.yaml`, from: TOPOLOGY_FILE, objects: kafkaUsers },
  { path: `${COMPONENTS}/strimzi/credentials/kustomization.yaml`, from: TOPOLOGY_FILE, objects: kafkaCredentials },
  { path: `${COMPONENTS}/autoscaling/autoscalers.yaml`, from: TOPOLOGY_FILE, objects: autoscalers },
  { path: `${COMPONENTS}/ingress/ingress.yaml`, from: APPS_FILE, objects: ingress },
  { path: `${COMPONENTS}/gateway/routes.yaml`, from: APPS_FILE, objects: httpRoutes },
];

/**
 * The generated manifests.
 * @returns the text of each file, by its path from the root of the repository
 */
export async function generatedFiles(): Promise<Map<string, string>> {
  const texts = FILES.map(async ({ path, from, objects }): Promise<[string, string]> => {
    const documents = objects().map((object) => stringify(object, { aliasDuplicateObjects: false }));
    const text = `# Written by npm run k8s, from ${from}.\n${documents.join('---\n')}`;
    return [path, await prettier.format(text, { ...(await prettier.resolveConfig(path)), parser: 'yaml' })];
  });
  return new Map(await Promise.all(texts));
}
