import type { TopicTopology } from '../events/topology';
import { validatorOf } from '../validation/validator';
import { jsonSchemaOf } from '../documents/json-schema';
import type { Release, ReleasedTopic, Topology } from './release';
import { type BreakingRule, breakingSchemaChanges } from './schema-changes';

/** A change that breaks the consumers of a topic. */
export interface BreakingChange {
  readonly topic: string;
  /** The changed field, empty for the data itself; undefined for a change of the topic, of its key or of a sample. */
  readonly field?: string;
  readonly rule: BreakingRule | 'topic-removed' | 'partitions-changed' | 'key-changed' | 'sample-refused';
  readonly detail: string;
}

/** Returns the breaking changes since a release. A new topic and an added optional field are not breaking. */
export function breakingChanges(released: Release, present: Topology): BreakingChange[] {
  return Object.entries(released.topics).flatMap(([topic, before]): BreakingChange[] => {
    const now = present.find(({ event }) => event.topic === topic);
    if (!now) return [{ topic, rule: 'topic-removed', detail: 'the topic was removed' }];
    const ofSchema = breakingSchemaChanges(before.schema, jsonSchemaOf(now)).map((change) => ({ topic, ...change }));
    return [...ofSchema, ...partitionChange(before, now), ...sampleChanges(before, now)];
  });
}

/**
 * Finds a changed number of partitions. Such a change moves keys to other partitions, so the events of a key lose their
 * order.
 */
function partitionChange(before: ReleasedTopic, { event: { topic }, partitions }: TopicTopology): BreakingChange[] {
  if (before.partitions === partitions) return [];
  const detail = `it had ${before.partitions} partitions and has ${partitions}`;
  return [{ topic, rule: 'partitions-changed', detail }];
}

/**
 * Finds released samples that the class now refuses, or that now have another key. A released sample stands for events
 * that may still be in topics, and that consumers can read.
 */
function sampleChanges(before: ReleasedTopic, { event }: TopicTopology): BreakingChange[] {
  return Object.entries(before.samples).flatMap(([file, { key, data }]): BreakingChange[] => {
    const { topic } = event;
    const faults = validatorOf(event)(data);
    if (faults) return [{ topic, rule: 'sample-refused', detail: `its class refuses ${file}: ${faults.join('; ')}` }];
    const present = event.keyOf(data);
    if (present === key) return [];
    return [{ topic, rule: 'key-changed', detail: `the key of ${file} was "${key}" and is "${present}"` }];
  });
}

/** Describes a breaking change, and what to do instead. */
export function describeBreakingChange(version: string, { topic, field, rule, detail }: BreakingChange): string {
  const where = field === undefined || field === '' ? topic : `${topic}, field "${field}"`;
  return (
    `${where}: ${detail} [${rule}]. Consumers of ${version} rely on it: leave ${topic} as it was, and publish ` +
    `${nextTopic(topic)} alongside it.`
  );
}

/** Returns the name of a topic's next version: `sale.completed` → `sale.completed.v2` → `sale.completed.v3`. */
function nextTopic(topic: string): string {
  const [, name = topic, version = '1'] = /^(.+)\.v(\d+)$/.exec(topic) ?? [];
  return `${name}.v${Number(version) + 1}`;
}
