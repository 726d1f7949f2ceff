import { deadLetterTopicOf, type EventDescription, TOPOLOGY, type TopicTopology } from '../events/topology';
import type { JsonSchema } from './class-schema';
import { schemaPathOf } from './json-schema';

const text = (description: string, more: JsonSchema = {}): JsonSchema => ({ type: 'string', description, ...more });

/**
 * The Kafka headers of an event: its CloudEvents 1.0 attributes, in the binary mode. The value of the Kafka message is
 * only the event's data.
 */
const HEADERS: JsonSchema = {
  type: 'object',
  required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'ce_subject', 'content-type'],
  properties: {
    ce_specversion: { const: '1.0' },
    ce_id: text('The same for every delivery of an event: remember it, and skip events that you have handled.', {
      format: 'uuid',
    }),
    ce_type: text('The topic.'),
    ce_source: text('The app that published the event, for example /tandem/partner-gateway.'),
    ce_time: text('When the publisher stored the event together with the change that it reports, RFC 3339.', {
      format: 'date-time',
    }),
    ce_subject: text('The message key: the entity whose events are kept in order.'),
    ce_sequence: text('Grows with each change of the entity. Only some events have this header.', {
      pattern: '^\\d{1,15}$',
    }),
    'content-type': { const: 'application/json' },
    traceparent: text('W3C Trace Context.'),
  },
};

/** Returns the AsyncAPI 3.0 document of all topics, with their publishers and consumers. */
export function asyncApiDocument(version: string): JsonSchema {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tandem events',
      version,
      description:
        'Delivered at least once, in order for each key. A new optional field may appear at any time; any other change is ' +
        'a new topic `<topic>.v2` in addition to the old one.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(TOPOLOGY.flatMap(channelsOf)),
    operations: Object.fromEntries(TOPOLOGY.flatMap(operationsOf)),
    components: {
      messages: Object.fromEntries(TOPOLOGY.map((topology) => [topology.event.topic, messageOf(topology)])),
      schemas: { CloudEventHeaders: HEADERS },
    },
  };
}

function channelsOf({ event, partitions, summary }: TopicTopology & EventDescription): [string, JsonSchema][] {
  const { topic } = event;
  const messages = { [topic]: { $ref: `#/components/messages/${topic}` } };
  const bindings = (count: number): JsonSchema => ({ kafka: { partitions: count, bindingVersion: '0.5.0' } });
  const deadLetters = deadLetterTopicOf(topic);
  return [
    [topic, { address: topic, description: summary, messages, bindings: bindings(partitions) }],
    [
      deadLetters,
      {
        address: deadLetters,
        description: `Events of ${topic} that a consumer could not handle.`,
        messages,
        bindings: bindings(1),
      },
    ],
  ];
}

function operationsOf({ event, publishers, consumers }: TopicTopology): [string, JsonSchema][] {
  const { topic } = event;
  const operation = (action: 'send' | 'receive', app: string): [string, JsonSchema] => [
    `${app}.${action}.${topic}`,
    { action, title: `${app} ${action}s ${topic}`, channel: { $ref: `#/channels/${topic}` } },
  ];
  return [...publishers.map((app) => operation('send', app)), ...consumers.map((app) => operation('receive', app))];
}

function messageOf({ event, summary, key }: TopicTopology & EventDescription): JsonSchema {
  return {
    name: event.topic,
    title: event.data.name,
    summary,
    contentType: 'application/json',
    headers: { $ref: '#/components/schemas/CloudEventHeaders' },
    payload: {
      schemaFormat: 'application/schema+json;version=draft-2020-12',
      schema: { $ref: `./${schemaPathOf(event)}` },
    },
    bindings: { kafka: { key: { type: 'string', description: key }, bindingVersion: '0.5.0' } },
  };
}
