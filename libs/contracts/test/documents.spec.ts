import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { TOPOLOGY } from '../src';
import { generatedDocuments } from '../src/documents/documents';

const root = path.join(__dirname, '..');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
const { version } = read('package.json') as { version: string };
const documents = generatedDocuments(version);

describe('generated documents', () => {
  it.each([...documents.keys()])('%s matches the classes (else run `npm run -w @tandem/contracts schemas`)', (file) => {
    expect(read(file)).toEqual(JSON.parse(documents.get(file) as string));
  });

  it('include exactly one schema for each topic', () => {
    const expected = TOPOLOGY.map(({ event }) => `${event.topic}.schema.json`).sort();
    expect(readdirSync(path.join(root, 'schemas')).sort()).toEqual(expected);
  });
});

describe('asyncapi.json', () => {
  const document = read('asyncapi.json') as {
    channels: Record<string, { address: string; bindings: { kafka: { partitions: number } } }>;
    operations: Record<string, { action: string; channel: { $ref: string } }>;
  };

  it('is a valid AsyncAPI 3.0 document by the specification’s schema [events.asyncapi]', () => {
    const schema = JSON.parse(readFileSync(require.resolve('@asyncapi/specs/schemas/3.0.0.json'), 'utf8')) as object;
    // Ajv must not add the meta-schema of JSON Schema, because the specification's schema already contains it.
    const ajv = addFormats(new Ajv({ allErrors: true, strict: false, meta: false, validateSchema: false }));
    const validate = ajv.compile(schema);
    expect({ valid: validate(document), errors: validate.errors }).toEqual({ valid: true, errors: null });
    // The compiled schema must refuse invalid documents: an empty schema would accept any document.
    for (const wrong of [
      { ...document, channels: [] },
      { ...document, operations: { one: { action: 'publish' } } },
    ])
      expect(validate(wrong)).toBe(false);
  });

  it('has a channel for each topic and its dead letters', () => {
    const partitions = Object.values(document.channels).map(({ address, bindings }) => [
      address,
      bindings.kafka.partitions,
    ]);
    const expected = TOPOLOGY.flatMap(({ event, partitions: count }) => [
      [event.topic, count],
      [`${event.topic}.dlq`, 1],
    ]);
    expect(partitions).toEqual(expected);
  });

  it('has an operation for each publisher and consumer', () => {
    const operations = Object.values(document.operations).map(({ action, channel }) => `${action} ${channel.$ref}`);
    const expected = TOPOLOGY.flatMap(({ event, publishers, consumers }) => [
      ...publishers.map(() => `send #/channels/${event.topic}`),
      ...consumers.map(() => `receive #/channels/${event.topic}`),
    ]);
    expect(operations).toEqual(expected);
  });

  it('refers only to definitions that exist', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference]) => reference as string,
    );
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      if (reference.startsWith('./')) expect(() => read(reference)).not.toThrow();
      else expect(resolve(document, reference)).toBeDefined();
    }
  });
});

function resolve(document: object, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
}
