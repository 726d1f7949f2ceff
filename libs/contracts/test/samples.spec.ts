import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { type EventDefinition, TOPOLOGY } from '../src';
import { schemaPathOf } from '../src/documents/json-schema';
import { eventOfSample } from './event-of-sample';

const root = path.join(__dirname, '..');
const samplesFolder = path.join(root, 'samples');
const events = TOPOLOGY.map(({ event }) => event);
const json = (file: string): Record<string, unknown> => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

const ajv = addFormats(new Ajv2020({ allErrors: true }));
const schemaValidators = new Map<string, ValidateFunction>(
  events.map((event) => [event.topic, ajv.compile(json(schemaPathOf(event)))]),
);

const classAccepts = (event: EventDefinition<object>, data: unknown): boolean =>
  validateSync(plainToInstance(event.data, data), { forbidUnknownValues: true }).length === 0;
const schemaAccepts = (event: EventDefinition<object>, data: unknown): boolean =>
  schemaValidators.get(event.topic)?.(data) === true;

const files = readdirSync(samplesFolder).filter((file) => file !== 'checksums.json');

describe('golden samples', () => {
  it.each(events.map(({ topic }) => topic))('include at least one sample of %s', (topic) => {
    expect(files).toContain(`${topic}.json`);
  });

  it.each(files)('%s is accepted by its class and its schema, and has a key', (file) => {
    const event = eventOfSample(file);
    const data = json(`samples/${file}`);
    expect(classAccepts(event, data)).toBe(true);
    expect(schemaAccepts(event, data)).toBe(true);
    expect(event.keyOf(plainToInstance(event.data, data))).toMatch(/./);
  });

  it.each(files)('%s is accepted with an unknown field', (file) => {
    const data = { ...json(`samples/${file}`), addedLater: { deep: [1] } };
    expect(classAccepts(eventOfSample(file), data)).toBe(true);
    expect(schemaAccepts(eventOfSample(file), data)).toBe(true);
  });

  it.each(files)('%s without one of its fields gets the same verdict from class and schema', (file) => {
    const event = eventOfSample(file);
    const data = json(`samples/${file}`);
    for (const field of Object.keys(data)) {
      const rest = Object.fromEntries(Object.entries(data).filter(([name]) => name !== field));
      expect({ field, accepted: classAccepts(event, rest) }).toEqual({ field, accepted: schemaAccepts(event, rest) });
    }
    expect(classAccepts(event, {})).toBe(false);
    expect(schemaAccepts(event, {})).toBe(false);
  });

  it.each(files)('%s with another value in a field gets the same verdict from class and schema', (file) => {
    const event = eventOfSample(file);
    const data = json(`samples/${file}`);
    for (const field of Object.keys(data)) {
      for (const wrong of [true, 1.5, 'x'.repeat(10_000), [], [[]], {}]) {
        const changed = { ...data, [field]: wrong };
        const verdicts = { class: classAccepts(event, changed), schema: schemaAccepts(event, changed) };
        expect({ field, wrong, ...verdicts, class: verdicts.schema }).toEqual({ field, wrong, ...verdicts });
      }
    }
  });

  it.each([[[[]]], [[null]], [['x']], [{}]])('a purchase with the items %j is refused by class and schema', (items) => {
    const [event] = events as [EventDefinition<object>];
    const sample = json('samples/payment.received.json') as { purchase: object };
    const data = { ...sample, purchase: { ...sample.purchase, items } };
    expect(classAccepts(event, data)).toBe(false);
    expect(schemaAccepts(event, data)).toBe(false);
  });

  // Consumers of other teams rely on these bytes: a change of an event adds a sample, and never changes an existing
  // one.
  it('have not been changed or removed since they were checked in', () => {
    const sums = json('samples/checksums.json');
    const actual = files.map((file) => {
      const bytes = readFileSync(path.join(samplesFolder, file));
      return [file, createHash('sha256').update(bytes).digest('hex')];
    });
    expect(Object.fromEntries(actual)).toEqual(sums);
  });
});
