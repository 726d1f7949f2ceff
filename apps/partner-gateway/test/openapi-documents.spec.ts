import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorMap } from '../src/error-map';
import { documentsOf } from '@tandem/service-defaults';
import { app } from '../src/app';
import { HOLD_REASONS } from '../src/sale/sale.entity';

const ROOT = path.join(__dirname, '../../..');
const run = promisify(execFile);

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters: { name: string; in: string; description?: string }[];
  requestBody?: object;
  responses: Record<string, Response>;
}
interface Response {
  $ref?: string;
  headers: Record<string, object>;
  content?: Record<
    string,
    { schema: { allOf?: [object, Coded] }; example?: object; examples?: Record<string, object> }
  >;
}
interface Coded {
  properties: { code: { enum: string[] } };
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<
    string,
    { post: { operationId: string; security: object[]; parameters: { name: string; in: string }[] } }
  >;
  components: {
    responses: Record<string, Response>;
    schemas: Record<string, { properties: Record<string, { enum?: unknown[] }> }>;
    securitySchemes: Record<string, object>;
  };
}

const read = (file: string): Document => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as Document;
const FILES = ['docs/openapi/partner-api.json', 'docs/openapi/manager-api.json'];

/** Returns every operation of a document with its responses. References to responses are resolved. */
const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${route}`,
      operation,
      responses: Object.entries(operation.responses).map(([status, response]) => ({
        status: Number(status),
        ...(document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response),
      })),
    })),
  );

const codesOf = ({ content }: Response): string[] =>
  content?.['application/problem+json']?.schema.allOf?.[1].properties.code.enum ?? [];

/** The only operation that is called with the code of a portal link instead of a token. */
const OPEN_PORTAL = 'POST /api/v2/partner/portal-session';
/** The only operation that is called with neither a token nor a code. */
const APPLY = 'POST /api/v2/partner-applications';

describe('the OpenAPI documents', () => {
  it.each(FILES)('match the code (if not, run `npm run openapi`): %s [interface.openapi]', async (file) => {
    const documents = await documentsOf(app);
    expect([...documents.keys()].sort()).toEqual([...FILES].sort());
    expect(read(file)).toEqual(JSON.parse(JSON.stringify(documents.get(file))));
  });

  it.each(FILES)('pass the recommended rules of Redocly: %s [interface.openapi]', async (file) => {
    const redocly = path.join(ROOT, 'node_modules/@redocly/cli/bin/cli.js');
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const options = ['lint', '--extends=recommended', '--format=json', path.join(ROOT, file)];
    const { stdout } = await run(process.execPath, [redocly, ...options], { cwd: tmpdir(), env });
    const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: object[] };
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 });
  });

  describe.each(FILES)('%s', (file) => {
    const document = read(file);
    const operations = operationsOf(document);

    it('gives every operation a unique id, a tag and its security', () => {
      for (const { name, operation } of operations) {
        expect([name, operation.operationId]).toEqual([name, expect.stringMatching(/^[a-z]+[A-Z][A-Za-z]+$/)]);
        expect([name, operation.tags]).toEqual([name, [expect.any(String)]]);
        const [ofCallers] = Object.keys(document.components.securitySchemes);
        const scheme = name === OPEN_PORTAL ? 'portalCode' : (ofCallers as string);
        expect([name, operation.security]).toEqual([name, name === APPLY ? [] : [{ [scheme]: [] }]]);
      }
      expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
    });

    it('has, for every operation, an example of each success with a body and of each error code [interface.openapi]', () => {
      for (const { name, responses } of operations) {
        for (const response of responses) {
          const codes = codesOf(response);
          const [type, { example, examples } = {}] = Object.entries(response.content ?? {})[0] ?? [];
          if (response.status >= 400) {
            const shown = Object.values(examples ?? {}).map((one) => (one as { value: { code: string } }).value.code);
            expect([name, response.status, [...new Set(shown)]]).toEqual([name, response.status, codes]);
          } else if (response.status !== 204)
            expect([name, example]).toEqual([name, expect.any(type === 'application/json' ? Object : String)]);
        }
      }
    });

    it('lists the errors of bodies, queries and cursors only for operations that can cause them [interface.openapi]', () => {
      for (const { name, operation, responses } of operations) {
        const codes = responses.flatMap(codesOf);
        const query = operation.parameters.filter((parameter) => parameter.in === 'query').map((one) => one.name);
        const hasBody = operation.requestBody !== undefined;
        expect([name, codes.includes('invalid_cursor')]).toEqual([name, query.includes('cursor')]);
        // The list of voucher groups has no parameters, but refuses every parameter with the code validation_failed.
        const hasInput = hasBody || query.length > 0 || name === 'GET /api/v2/partner/subscription/voucher-group';
        expect([name, codes.includes('validation_failed')]).toEqual([name, hasInput]);
        for (const code of ['payload_too_large', 'unsupported_media_type']) {
          expect([name, code, codes.includes(code)]).toEqual([name, code, !name.startsWith('GET ')]);
        }
      }
    });

    it('lists the answers that every operation can give, with their headers [interface.openapi]', () => {
      for (const { name, responses } of operations) {
        const headers = new Map(responses.map((response) => [response.status, Object.keys(response.headers)]));
        expect([name, [...headers.keys()]]).toEqual([
          name,
          expect.arrayContaining([400, ...(name === APPLY ? [404, 429] : [401, 403]), 405, 408, 414, 431, 500, 503]),
        ]);
        for (const [, names] of headers) expect(names).toContain('X-Request-Id');
        if (name !== APPLY) expect(headers.get(401)).toContain('WWW-Authenticate');
        expect(headers.get(405)).toContain('Allow');
        expect(headers.get(503)).toContain('Retry-After');
      }
    });
  });

  it('describe the postback as a webhook, with its headers and authentication [interface.openapi-webhook]', () => {
    const { webhooks, components } = read('docs/openapi/partner-api.json');
    expect(Object.keys(webhooks ?? {})).toEqual(['postback', 'saleClosed']);
    const { operationId, parameters, security } = webhooks?.['postback']?.post ?? {};
    expect(operationId).toBe('receivePostback');
    expect(parameters?.map(({ name }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'X-Environment',
    ]);
    expect(security).toEqual([{ postbackBearer: [] }, { postbackBasic: [] }]);
    const notice = webhooks?.['saleClosed']?.post;
    expect(notice?.parameters?.map(({ name }) => name)).toEqual([
      ...(parameters ?? []).map(({ name }) => name),
      'X-Event',
    ]);
    expect(notice?.security).toEqual(security);
    expect(Object.keys(components.securitySchemes)).toEqual([
      'partner',
      'portalCode',
      'postbackBearer',
      'postbackBasic',
    ]);
    expect(read('docs/openapi/manager-api.json').webhooks).toBeUndefined();
  });

  it.each(FILES)('are OpenAPI 3.1 and declare null as a type, not as `nullable`: %s', (file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    expect((JSON.parse(text) as { openapi: string }).openapi).toBe('3.1.0');
    expect(text).not.toContain('"nullable"');
  });

  it.each(['HeldSale', 'ListedSale', 'Sale'])(
    'list, in the schema %s, the reasons for which a sale is held',
    (schema) => {
      const { components } = read('docs/openapi/manager-api.json');
      expect(components.schemas[schema]?.properties['holdReason']?.enum).toEqual([...HOLD_REASONS, null]);
    },
  );

  it('contain every error code of the app [interface.openapi]', () => {
    const told = new Set(
      FILES.flatMap((file) => operationsOf(read(file))).flatMap(({ responses }) => responses.flatMap(codesOf)),
    );
    const codes = [...errorMap].map(([error, { code }]) => {
      const instance = Reflect.construct(error, [[]]) as { code: string };
      return code ?? instance.code;
    });
    expect([...new Set(codes)].filter((code) => !told.has(code))).toEqual([]);
  });

  it('declare the headers of rate limits and the status 429 for every operation of partners that has a limit', () => {
    for (const { name, responses } of operationsOf(read('docs/openapi/partner-api.json'))) {
      // The operation that opens the portal has no rate limit: it is called without a token, and a code works only once.
      if (name === OPEN_PORTAL) continue;
      for (const { status, headers } of responses) {
        // Answers with these statuses are sent before the request is counted.
        if ([401, 405, 408, 414, 431].includes(status)) continue;
        expect(Object.keys(headers)).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
      }
      expect(responses.map(({ status }) => status)).toContain(429);
    }
  });
});

describe('the generated client', () => {
  it('matches the document (if not, run `npm run build`) [interface.openapi-client]', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tandem-client-'));
    try {
      const file = path.join(folder, 'partner-api.d.ts');
      const generator = path.join(ROOT, 'node_modules/openapi-typescript/bin/cli.js');
      await run(process.execPath, [generator, path.join(ROOT, 'docs/openapi/partner-api.json'), '-o', file]);
      expect(readFileSync(path.join(__dirname, 'client/partner-api.d.ts'), 'utf8')).toBe(await readFile(file, 'utf8'));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
