import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonSchema } from '../documents/class-schema';
import { jsonSchemaOf } from '../documents/json-schema';
import { type EventDescription, type TopicTopology, TOPOLOGY } from '../events/topology';

export type Topology = readonly (TopicTopology & EventDescription)[];

/** The properties of one topic that other teams rely on. */
export interface ReleasedTopic {
  readonly partitions: number;
  readonly schema: JsonSchema;
  /** The golden samples with their message keys, by file name. */
  readonly samples: Readonly<Record<string, { readonly key: string; readonly data: object }>>;
}

/** The content of `released.json`: everything that other teams rely on. */
export interface Release {
  readonly version: string;
  readonly topics: Readonly<Record<string, ReleasedTopic>>;
}

/** The package's root folder, also when this file runs from `dist`. */
export const PACKAGE_ROOT = path.join(__dirname, '../..');
export const RELEASE_FILE = 'released.json';

const readJson = (root: string, file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

/** Returns the `version` in `package.json`. */
export const packageVersion = (root = PACKAGE_ROOT): string => (readJson(root, 'package.json') as Release).version;

/** Whether a version is higher than another; both have the form `1.2.3`. */
export const isHigher = (version: string, than: string): boolean =>
  version.localeCompare(than, 'en', { numeric: true }) > 0;

/** Returns the last release. */
export const readRelease = (root = PACKAGE_ROOT): Release => readJson(root, RELEASE_FILE) as Release;

/**
 * Returns the topic to which a sample's file belongs; undefined if it belongs to no topic. `sale.completed.v2.json` belongs
 * to `sale.completed.v2` if this topic exists, else to `sale.completed`.
 */
export function topicOfSample(file: string, topology: readonly TopicTopology[] = TOPOLOGY): string | undefined {
  const matching = topology.map(({ event }) => event.topic).filter((topic) => file.startsWith(`${topic}.`));
  return matching.sort((one, other) => other.length - one.length)[0];
}

/** Returns the present events as a release. */
export function presentRelease(version: string, topology: Topology, root = PACKAGE_ROOT): Release {
  const files = readdirSync(path.join(root, 'samples')).filter((file) => file !== 'checksums.json');
  const topics = topology.map((row): [string, ReleasedTopic] => {
    const { topic, keyOf } = row.event;
    const samples = files
      .filter((file) => topicOfSample(file, topology) === topic)
      .map((file) => [file, readJson(root, `samples/${file}`) as object] as const)
      .map(([file, data]) => [file, { key: keyOf(data), data }]);
    return [topic, { partitions: row.partitions, schema: jsonSchemaOf(row), samples: Object.fromEntries(samples) }];
  });
  return { version, topics: Object.fromEntries(topics) };
}
