import { readFileSync } from 'node:fs';
import path from 'node:path';
import { documentsOf } from '@tandem/service-defaults';
import { app } from '../src/app';

const ROOT = path.resolve(__dirname, '../../..');

it('docs/openapi/client-api.json, which `npm run openapi` writes, matches the code', async () => {
  for (const [file, document] of await documentsOf(app)) {
    const checkedIn: unknown = JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
    expect(checkedIn).toEqual(JSON.parse(JSON.stringify(document)));
  }
});

/** Returns the path of each `oneOf` and `anyOf` in which an alternative is an object without a name. */
function unnamedIn(value: unknown, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'example' || key === 'examples') return [];
    const unnamed = unnamedIn(inner, `${at}/${key}`);
    if (key !== 'oneOf' && key !== 'anyOf') return unnamed;
    const others = (inner as Schema[]).filter(
      ({ $ref, type, properties }) => !$ref && (type === 'object' || properties),
    );
    return others.length === 0 ? unnamed : [`${at}/${key}`];
  });
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: object;
}

it.each(['client-api', 'support-api', 'partner-api', 'manager-api'])(
  '%s names each alternative, so that client generators write a type for it [interface.variants]',
  (name) => {
    const document = JSON.parse(readFileSync(path.join(ROOT, `docs/openapi/${name}.json`), 'utf8')) as Document;
    expect(unnamedIn(document)).toEqual([]);
    expect(Object.keys(document.components.schemas)).not.toContain('Object');
  },
);

it('client-api names the variants of errors, of sections and of details [interface.variants]', () => {
  const { components } = JSON.parse(readFileSync(path.join(ROOT, 'docs/openapi/client-api.json'), 'utf8')) as Document;
  const names = (schema: string): string[] =>
    (components.schemas[schema]?.oneOf ?? []).map(({ $ref }) => ($ref ?? '').split('/').at(-1) as string);
  expect(names('BadRequestVariant')).toEqual([
    'InputValidationFailure',
    'UserAlreadyExists',
    'UserNotFound',
    'TwoFactorAuthRequired',
    'EntitlementsRequired',
    'AttemptsTooEarly',
    'MaximumAttemptsReached',
  ]);
  expect(names('ErrorAnswer')).toEqual(['PlainError', 'BadRequest']);
  expect(names('AlertDetails')).toEqual(['IdpAlertDetails', 'ExpAlertDetails', 'TuiAlertDetails', 'EfxAlertDetails']);
  const sections = Object.keys(components.schemas).filter((name) => name.endsWith('Section'));
  expect(sections).toHaveLength(6);
  for (const name of sections) expect(names(name)).toEqual([name.replace(/Section$/, 'Ok'), 'SectionErr']);
});

describe('the document for client teams', () => {
  const document = async (): Promise<Document> => JSON.parse(JSON.stringify([...(await documentsOf(app)).values()][0]));
  const operations = async (): Promise<[string, Operation][]> =>
    document().then(({ paths, components }) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]): [string, Operation] => [
          `${method.toUpperCase()} ${path.replace('/idp/array/users', '') || '/'}`,
          withResponses(operation, components.responses),
        ]),
      ),
    );
  const exampleNames = ({ responses }: Operation): string[] =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, { content }]) => Object.keys(content['application/json']?.examples ?? {}));
  const namesWhere = async (fits: (operation: Operation) => boolean): Promise<string[]> =>
    (await operations()).filter(([, operation]) => fits(operation)).map(([name]) => name);

  it('contains all 27 operations', async () => {
    expect(await operations()).toHaveLength(27);
  });

  it('states which operations need a second factor, both in their security and in their errors', async () => {
    const withSecondFactor = [
      'POST /',
      'PATCH /me',
      'DELETE /me',
      'POST /me/enroll',
      'POST /me/token',
      'POST /me/migration',
      'GET /me/dashboard',
      'GET /me/nhw/alerts',
      'GET /me/nhw/watches',
    ].sort();
    const bySecurity = await namesWhere(({ security }) => 'accessTokenWithSecondFactor' in (security[0] as object));
    const byErrors = await namesWhere((operation) => exampleNames(operation).includes('TwoFactorAuthRequired'));
    expect([bySecurity.sort(), byErrors.sort()]).toEqual([withSecondFactor, withSecondFactor]);
  });

  it('states which operations can return AttemptsTooEarly and MaximumAttemptsReached', async () => {
    const withLockErrors = ['POST /', 'PATCH /me', 'POST /me/enroll', 'POST /me/token'].sort();
    for (const lock of ['AttemptsTooEarly', 'MaximumAttemptsReached']) {
      expect((await namesWhere((operation) => exampleNames(operation).includes(lock))).sort()).toEqual(withLockErrors);
    }
  });

  it('names each error by its variant, and contains no internal codes', async () => {
    for (const [name, { responses }] of await operations()) {
      for (const { description } of Object.values(responses)) {
        const words = description.replace(/`(invalid_fields|retry_after)`/g, '');
        expect([name, words]).toEqual([name, expect.not.stringMatching(/[a-z]_[a-z]/)]);
      }
      for (const example of exampleNames({ responses } as Operation)) expect(example).toMatch(/^[A-Z][A-Za-z]+$/);
    }
  });

  it('contains an example of an alert’s details for each bureau', async () => {
    const [, details] = (await operations()).find(([name]) => name.endsWith('/details')) as [string, Operation];
    expect(Object.keys(details.responses['200']?.content['application/json']?.examples ?? {}).sort()).toEqual([
      'efx',
      'exp',
      'idp',
      'tui',
    ]);
  });
});

/** Returns the operation with its references to shared responses replaced by the responses. */
function withResponses(operation: Operation, shared: Operation['responses']): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]): [string, Response] => {
    const { $ref } = response as { $ref?: string };
    return [status, $ref ? (shared[$ref.split('/').at(-1) as string] as Response) : response];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

interface Response {
  readonly description: string;
  readonly content: Record<string, { readonly examples: object }>;
}

interface Operation {
  readonly security: object[];
  readonly responses: Record<string, Response>;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly responses: Record<string, Response>;
    readonly schemas: Record<string, { readonly oneOf?: readonly Schema[] }>;
  };
}
