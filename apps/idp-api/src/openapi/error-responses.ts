import { failureOf, type HttpFailure, INTERNAL, ServiceUnavailableError } from '@tandem/http-api';
import { BAD_REQUEST_FORMAT } from '../bad-request/bad-request.format';
import { ERRORS } from '../error-map';
import { ERROR_TEXTS, type ErrorText } from './error-texts';

/** Whatever an operation does, it can answer with these. */
const ALWAYS: readonly HttpFailure[] = [
  INTERNAL,
  failure(new ServiceUnavailableError('The service cannot reach its storage now; try again.')),
];

/** The failure that an error means, by the same table as when it is thrown. */
function failure(error: Error): HttpFailure {
  const known = failureOf(error, ERRORS);
  if (!known) throw new Error(`${error.constructor.name} has no status: see error-map.ts`);
  return known;
}

/** One response for each status that errors lead to, with an example of each error and the headers it comes with. */
export function errorResponses(errors: readonly Error[]): Record<string, object> {
  const failures = [...errors.map(failure), ...ALWAYS];
  const statuses = [...new Set(failures.map(({ status }) => status))].sort((a, b) => a - b);
  const responses = statuses.map((status): [string, object] => {
    const of = failures.filter((one) => one.status === status);
    const headers = [...new Set(of.flatMap(({ headers = {} }) => Object.keys(headers)))];
    const response = {
      description: [...new Set(of.map(descriptionOf))].join('\n\n'),
      headers: Object.fromEntries(headers.map((name) => [name, { schema: { type: 'string' } }])),
      content: { 'application/json': { schema: schemaOf(of), examples: examplesOf(of) } },
    };
    return [String(status), response];
  });
  return Object.fromEntries(responses);
}

const bodyOf = (one: HttpFailure): object => BAD_REQUEST_FORMAT.body(one, { id: '', path: '' });

/** Variants are told apart by their names, other errors by their status. */
const descriptionOf = (one: HttpFailure): string => {
  const { name, description } = textOf(one);
  return 'BadRequest' in bodyOf(one) ? `\`${name}\`: ${description}` : description;
};

const schemaOf = (failures: readonly HttpFailure[]): { $ref: string } | { oneOf: { $ref: string }[] } => {
  const names = new Set(failures.map((one) => ('BadRequest' in bodyOf(one) ? 'BadRequest' : 'Error')));
  const refs = [...names].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return refs.length === 1 ? (refs[0] as { $ref: string }) : { oneOf: refs };
};

const examplesOf = (failures: readonly HttpFailure[]): Record<string, { value: object }> =>
  Object.fromEntries(
    failures.map((one) => [textOf(one).name, { summary: textOf(one).description, value: bodyOf(one) }]),
  );

function textOf({ code }: HttpFailure): ErrorText {
  const known = ERROR_TEXTS[code];
  if (!known) throw new Error(`${code} has no text: see error-texts.ts`);
  return known;
}
