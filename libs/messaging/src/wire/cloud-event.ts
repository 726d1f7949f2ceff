import { isUtf8 } from 'node:buffer';
import { type EventDefinition, validatorOf } from '@tandem/contracts';
import type { IncomingMessage, OutgoingMessage } from '@tandem/event-bus';
import { isUuid } from './uuid';

/** The attributes of an event, without its data. */
export interface EventAttributes {
  /** A UUID, the same in every delivery of one event. */
  readonly id: string;
  readonly topic: string;
  /** The id of the entity whose events are kept in order. */
  readonly key: string;
  /** When the publisher added the event to its outbox, in RFC 3339 format. */
  readonly occurredAt: string;
  /** The entity's version after the change; undefined when the publisher does not count versions. */
  readonly version?: number;
  /**
   * W3C Trace Context of the publisher. While spans are recorded, a handler finds the event's span `process <topic>`
   * here.
   */
  readonly traceparent?: string;
}

/** An event as a handler receives it. */
export interface ReceivedEvent<T extends object = object> extends EventAttributes {
  /** The data, validated against the class of the event. */
  readonly data: T;
}

/** A message is not a valid event of its topic, so a retry would fail as well. */
export class EventDecodingError extends Error {
  readonly code = 'event_not_decodable';
  override readonly name = 'EventDecodingError';
}

/** The event's class rejects the data that is to be published: a mistake in the publisher's code. */
export class InvalidEventDataError extends Error {
  readonly code = 'invalid_event_data';

  constructor(topic: string, reason: string) {
    super(`data of ${topic} is invalid: ${reason}`);
    this.name = 'InvalidEventDataError';
  }
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const VERSION = /^\d{1,15}$/;

/**
 * Encodes an event in CloudEvents 1.0, binary mode for Kafka: the attributes are headers, and the value is only the
 * data.
 */
export function encodeEvent(
  app: string,
  definition: EventDefinition<object>,
  data: object,
  attributes: Omit<EventAttributes, 'topic'>,
): OutgoingMessage {
  const headers: Record<string, string> = {
    ce_specversion: '1.0',
    ce_id: attributes.id,
    ce_type: definition.topic,
    ce_source: `/tandem/${app}`,
    ce_time: attributes.occurredAt,
    ce_subject: attributes.key,
    'content-type': 'application/json',
  };
  if (attributes.traceparent !== undefined) headers['traceparent'] = attributes.traceparent;
  if (attributes.version !== undefined) headers['ce_sequence'] = String(attributes.version);
  return { topic: definition.topic, key: attributes.key, headers, value: Buffer.from(JSON.stringify(data)) };
}

/**
 * Decodes a message strictly: every required attribute must be present and valid, the value must be a JSON object in
 * UTF-8, and the data must pass the validation of its class. The data stays a plain object and keeps unknown fields, so
 * that a new optional field breaks no consumer. Unknown headers are ignored.
 *
 * @throws EventDecodingError, whose message contains no value of the data
 */
export function decodeEvent(message: IncomingMessage, definition: EventDefinition<object>): ReceivedEvent {
  const { headers, raw } = message;
  const required = (name: string): string => {
    const value = headers[name];
    const bytes = raw?.headers?.[name]?.[0];
    if (bytes && !isUtf8(bytes)) throw new EventDecodingError(`header ${name} is not UTF-8`);
    if (!value) throw new EventDecodingError(`header ${name} is missing`);
    return value;
  };
  if (required('ce_specversion') !== '1.0') throw new EventDecodingError('ce_specversion is not 1.0');
  const id = required('ce_id');
  if (!isUuid(id)) throw new EventDecodingError('ce_id must be a UUID');
  if (required('ce_type') !== definition.topic) throw new EventDecodingError(`ce_type is not ${definition.topic}`);
  required('ce_source');
  const occurredAt = required('ce_time');
  if (!RFC3339.test(occurredAt) || Number.isNaN(Date.parse(occurredAt)))
    throw new EventDecodingError('ce_time must be an RFC 3339 date-time');
  const subject = required('ce_subject');
  if (raw?.key) throw new EventDecodingError('the key is not UTF-8');
  if (message.key !== null && message.key !== subject) throw new EventDecodingError('ce_subject is not the key');
  if (!/^application\/json\s*(;|$)/i.test(required('content-type')))
    throw new EventDecodingError('content-type is not application/json');
  const sequence = headers['ce_sequence'];
  if (sequence !== undefined && !VERSION.test(sequence))
    throw new EventDecodingError('ce_sequence must be a whole number of at most 15 digits');

  return {
    id: id.toLowerCase(),
    topic: definition.topic,
    key: subject,
    occurredAt,
    version: sequence === undefined ? undefined : Number(sequence),
    traceparent: headers['traceparent'],
    data: decodeData(message.value, definition),
  };
}

function decodeData(value: Buffer | null, definition: EventDefinition<object>): object {
  const data = parseObject(value);
  const faults = validatorOf(definition)(data);
  if (faults) throw new EventDecodingError(describeFaults(faults));
  return data;
}

function parseObject(value: Buffer | null): object {
  if (value === null) throw new EventDecodingError('the value is missing');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(value);
  } catch {
    throw new EventDecodingError('the value is not UTF-8');
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The error message of JSON.parse quotes the text, which must not be logged.
    throw new EventDecodingError('the value is not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new EventDecodingError('the value must be a JSON object');
  return parsed;
}

/**
 * Validates data before it is published.
 *
 * @throws InvalidEventDataError when the event's class rejects the data, as every consumer would
 */
export function assertValidData(definition: EventDefinition<object>, data: object): void {
  const faults = validatorOf(definition)(data);
  if (faults) throw new InvalidEventDataError(definition.topic, describeFaults(faults));
}

/** Describes which fields break which rules, without the fields' values. */
const describeFaults = (faults: readonly string[]): string => `these fields are invalid: ${faults.join('; ')}`;
