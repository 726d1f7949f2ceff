import fc, { type Arbitrary } from 'fast-check';
import type { OpenApiDocument, Operation, Parameter } from './document';
import { hostileText, type KnownValues, Values } from './values';

/** The kinds of credentials of a request; `weak` credentials lack some permission. */
export const CREDENTIALS = ['good', 'none', 'foreign', 'broken', 'weak'] as const;
export type Credentials = (typeof CREDENTIALS)[number];

export interface FuzzRequest {
  readonly method: string;
  /** Path and query, encoded. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials: Credentials;
  /** Whether every part of the request matches the document and its credentials are good. */
  readonly fits: boolean;
}

interface Part<T> {
  readonly value: T;
  readonly fits: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };

const TOO_LONG = JSON.stringify({ unknown: 'x'.repeat(300_000) });

/** Bodies that are not JSON, are not an object, are too large, or set a prototype. */
const brokenBody = fc.constantFrom(
  '',
  '{"a":',
  '[]',
  'null',
  '"text"',
  '1',
  '{"__proto__":{"a":1}}',
  '{} {}',
  TOO_LONG,
);

const good = fc.constant<Part<Credentials>>({ value: 'good', fits: true });

/**
 * Generates requests to one operation. In about half of the requests, path, query, headers and body match the document;
 * in the other half, each of these parts may violate it. Some requests have no good credentials.
 */
export function requestsTo(
  operation: Operation,
  document: OpenApiDocument,
  known: KnownValues,
): Arbitrary<FuzzRequest> {
  const credentials = fc.oneof(
    { weight: 9, arbitrary: good },
    { weight: 1, arbitrary: fc.constantFrom(...CREDENTIALS).map((value) => ({ value, fits: value === 'good' })) },
  );
  const requestOf = (tidy: boolean) => requestWith(operation, new Values(document), known, credentials, tidy);
  return fc.oneof(requestOf(true), requestOf(false));
}

/** Generates requests to one operation that match the document and have good credentials. */
export const fittingRequestsTo = (operation: Operation, document: OpenApiDocument, known: KnownValues) =>
  requestWith(operation, new Values(document), known, good, true);

function requestWith(
  operation: Operation,
  values: Values,
  known: KnownValues,
  credentials: Arbitrary<Part<Credentials>>,
  tidy: boolean,
): Arbitrary<FuzzRequest> {
  return fc
    .record({
      path: pathOf(operation, values, known, tidy),
      query: queryOf(operation, values, known, tidy),
      headers: headersOf(operation, values, tidy),
      body: bodyOf(operation, values, known, tidy),
      credentials,
    })
    .map((parts) => ({
      method: operation.method,
      target: parts.path.value + parts.query.value,
      headers: { ...parts.headers.value, ...parts.body.value.headers },
      ...(parts.body.value.text !== undefined && { body: parts.body.value.text }),
      credentials: parts.credentials.value,
      fits: Object.values(parts).every(({ fits }) => fits),
    }));
}

/** Generates the text of a parameter; undefined omits the parameter. */
function parameterOf(
  { name, schema, required = false }: Parameter,
  values: Values,
  known: KnownValues,
  tidy: boolean,
): Arbitrary<Part<string | undefined>> {
  const fitting = values.fitting(schema, known, name).map((value) => ({ value: String(value), fits: true }));
  const absent = fc.constant({ value: undefined, fits: !required });
  const hostile = hostileText.map((value) => ({ value, fits: false }));
  return fc.oneof(
    { weight: 6, arbitrary: fitting },
    { weight: required ? (tidy ? 0 : 1) : 6, arbitrary: absent },
    { weight: tidy ? 0 : 2, arbitrary: hostile },
  );
}

const parametersOf = (operation: Operation, place: Parameter['in']): readonly Parameter[] =>
  operation.parameters.filter((parameter) => parameter.in === place);

function pathOf(operation: Operation, values: Values, known: KnownValues, tidy: boolean): Arbitrary<Part<string>> {
  const parameters = parametersOf(operation, 'path');
  const parts = parameters.map((parameter) => parameterOf({ ...parameter, required: true }, values, known, tidy));
  return fc.tuple(...parts).map((texts) => {
    let path = operation.path;
    for (const [index, { name }] of parameters.entries()) {
      // An empty segment, or a segment that URL parsing removes (`.`, `..`), would lead to the path of another
      // operation.
      const text = texts[index]?.value ?? '';
      path = path.replace(`{${name}}`, /^(\.{0,2}|%2e)$/i.test(text) ? 'x' : encodeURIComponent(text));
    }
    return { value: path, fits: texts.every(({ fits }) => fits) };
  });
}

function queryOf(operation: Operation, values: Values, known: KnownValues, tidy: boolean): Arbitrary<Part<string>> {
  const parameters = parametersOf(operation, 'query');
  const parts = fc.tuple(...parameters.map((parameter) => parameterOf(parameter, values, known, tidy)));
  const unknown = tidy
    ? fc.constant('')
    : fc.constantFrom('', '', '', 'unknown=1', '__proto__=1', 'limit=1&limit=2', '=', '&&');
  return fc.tuple(parts, unknown).map(([texts, more]) => {
    const pairs = parameters.flatMap(({ name }, index) => {
      const text = texts[index]?.value;
      return text === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`];
    });
    const query = [...pairs, ...(more === '' ? [] : [more])].join('&');
    return { value: query === '' ? '' : `?${query}`, fits: more === '' && texts.every(({ fits }) => fits) };
  });
}

function headersOf(operation: Operation, values: Values, tidy: boolean): Arbitrary<Part<Record<string, string>>> {
  const parameters = parametersOf(operation, 'header');
  const parts = fc.tuple(...parameters.map((parameter) => parameterOf(parameter, values, () => [], tidy)));
  return parts.map((texts) => {
    const entries = parameters.flatMap(({ name }, index) => {
      const text = texts[index]?.value;
      return text === undefined ? [] : [[name.toLowerCase(), printable(text)]];
    });
    const fits = texts.every((part) => part.fits && printable(part.value ?? '') === (part.value ?? ''));
    return { value: Object.fromEntries(entries) as Record<string, string>, fits };
  });
}

/**
 * Removes surrounding spaces and all characters except printable ASCII, because a header cannot contain some of them.
 */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '').trim();

interface Body {
  readonly headers: Record<string, string>;
  readonly text?: string;
}

function bodyOf(operation: Operation, values: Values, known: KnownValues, tidy: boolean): Arbitrary<Part<Body>> {
  if (!operation.body) return fc.constant({ value: { headers: {} }, fits: true });
  const { schema, required } = operation.body;
  const json = (value: unknown): Body => ({ headers: JSON_TYPE, text: JSON.stringify(value) });
  const fitting = values.fitting(schema, known).map((value) => ({ value: json(value), fits: true }));
  const absent = fc.constant<Part<Body>>({ value: { headers: {} }, fits: !required });
  if (tidy) return required ? fitting : fc.oneof({ weight: 6, arbitrary: fitting }, { weight: 1, arbitrary: absent });
  const damaged = values.damaged(schema, known).map((value) => ({ value: json(value), fits: false }));
  const damagedOnce = values.damagedOnce(schema, known).map((value) => ({ value: json(value), fits: false }));
  const broken = brokenBody.map((text) => ({ value: { headers: JSON_TYPE, text }, fits: false }));
  const otherType = fc
    .constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x')
    .map((type) => ({ value: { headers: { 'content-type': type }, text: '{}' }, fits: false }));
  return fc.oneof(
    { weight: 3, arbitrary: fitting },
    { weight: 6, arbitrary: damaged },
    { weight: 8, arbitrary: damagedOnce },
    { weight: 2, arbitrary: broken },
    { weight: 1, arbitrary: otherType },
    { weight: 1, arbitrary: absent },
  );
}
