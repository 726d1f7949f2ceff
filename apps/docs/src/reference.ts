import type { Api } from './apis';
import {
  type Answer,
  type Content,
  type Endpoint,
  endpointsOf,
  exampleOf,
  type OpenApi,
  type Operation,
  resolved,
} from './openapi';
import { plainSamples, type Samples } from './samples';
import { fieldLine, fieldsOf, oneLine } from './schema-text';

/** Returns the reference of an API as a Markdown page, which has each operation once, grouped by tag. */
export function referencePage(api: Api, document: OpenApi, sdk: ReadonlyMap<string, Partial<Samples>>): string {
  const endpoints = endpointsOf(document);
  const groups = (document.tags ?? []).map(({ name, description }) => [
    `## ${name}`,
    description ?? '',
    ...endpoints
      .filter(({ operation }) => operation.tags?.includes(name))
      .map((endpoint) =>
        operationText(document, endpoint, {
          ...plainSamples(api, endpoint),
          ...sdk.get(endpoint.operation.operationId),
        }),
      ),
    ...Object.values(document.webhooks ?? {})
      .flatMap((methods) => Object.values(methods))
      .filter(({ tags }) => tags?.includes(name))
      .map((operation) => webhookText(document, operation)),
  ]);
  return joined([
    `---\noutline: [2, 3]\n---`,
    `# ${api.title}`,
    document.info.description ?? '',
    `[The OpenAPI document](/openapi/${api.file}) for generators and tests.`,
    ...tokenText(document),
    ...groups.flat(),
    ...headerText(document),
  ]);
}

const joined = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;

function tokenText({ components }: OpenApi): string[] {
  const schemes = Object.entries(components.securitySchemes ?? {}).filter(([, { description }]) => description);
  return schemes.length === 0
    ? []
    : ['## Tokens', schemes.map(([name, { description = '' }]) => `- **${name}**: ${oneLine(description)}`).join('\n')];
}

function headerText({ components }: OpenApi): string[] {
  const headers = Object.entries(components.headers ?? {}).filter(([, { description }]) => description);
  return headers.length === 0
    ? []
    : [
        '## Headers of answers',
        headers.map(([name, { description = '' }]) => `- \`${name}\`: ${oneLine(description)}`).join('\n'),
      ];
}

function operationText(document: OpenApi, { method, path, operation }: Endpoint, samples: Samples): string {
  const tokens = [...new Set((operation.security ?? []).flatMap((scheme) => Object.keys(scheme)))];
  return joined([
    `### ${operation.summary} {#${operation.operationId}}`,
    `**\`${method}\`** \`${path}\``,
    operation.description ?? '',
    tokens.length === 0 ? '' : `Token: ${tokens.join(' or ')}`,
    `::: code-group\n\n${[codeOf('ts [TypeScript]', samples.typescript), codeOf('python [Python]', samples.python), codeOf('sh [curl]', samples.curl)].join('\n\n')}\n\n:::`,
    ...parametersText(document, operation),
    ...bodyText(document, operation),
    ...answersText(document, operation),
  ]);
}

/** Returns the section about a request that the platform sends to the partner's endpoint. */
const webhookText = (document: OpenApi, operation: Operation): string =>
  joined([
    `### ${operation.summary} {#${operation.operationId}}`,
    '**`POST`** to the URL of your configuration',
    operation.description ?? '',
    ...parametersText(document, operation),
    ...bodyText(document, operation),
  ]);

/** The places of parameters, with their titles. */
const PLACES = { path: 'Path', query: 'Query', header: 'Headers' } as const;

/** Lists the parameters of an operation by place, without `X-Request-Id`, which every operation has. */
function parametersText(document: OpenApi, { parameters = [] }: Operation): string[] {
  return Object.entries(PLACES).flatMap(([place, title]) => {
    const lines = parameters
      .filter((parameter) => parameter.in === place && parameter.name !== 'X-Request-Id')
      .map(({ name, schema, required = false, description }) => {
        const field = { ...resolved(document, schema), ...(description !== undefined && { description }) };
        return `- ${fieldLine(document, name, field, required)}`;
      });
    return lines.length === 0 ? [] : [`**${title}**`, lines.join('\n')];
  });
}

function bodyText(document: OpenApi, { requestBody }: Operation): string[] {
  if (!requestBody) return [];
  return ['**Body**', ...contentText(document, requestBody.content)];
}

function contentText(document: OpenApi, content: Content): string[] {
  return Object.entries(content).flatMap(([type, media]) => {
    const fields = media.schema ? fieldsOf(document, media.schema) : [];
    const example = exampleOf(media);
    return [
      type === 'application/json' ? '' : `\`${type}\``,
      fields.join('\n'),
      example === undefined
        ? ''
        : typeof example === 'string'
          ? codeOf('', example.trimEnd())
          : codeOf('json', JSON.stringify(example, null, 2)),
    ];
  });
}

const isSuccess = (status: string): boolean => /^[23]/.test(status);

function answersText(document: OpenApi, { responses }: Operation): string[] {
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, resolved<Answer>(document, answer)] as const,
  );
  const successes = answers.filter(([status]) => isSuccess(status));
  const failures = answers.filter(([status]) => !isSuccess(status));
  return [
    ...successes.flatMap(([status, { description, content }]) => [
      `**Answer ${status}**: ${oneLine(description)}`,
      ...(content ? contentText(document, content) : []),
    ]),
    failures.length === 0
      ? ''
      : `::: details Errors: ${failures.map(([status]) => status).join(', ')}\n\n${failures.flatMap(failureLines).join('\n')}\n\n:::`,
  ];
}

/**
 * Describes the answers with an error status: one list item for each example of the status or, if it has none, one for the
 * status.
 */
function failureLines([status, { description, content = {} }]: readonly [string, Answer]): string[] {
  const examples = Object.values(content).flatMap(({ examples = {} }) => Object.values(examples));
  if (examples.length === 0) return [`- **${status}**: ${oneLine(description)}`];
  return examples.map(({ summary = description, value }) => {
    const code = codeIn(value);
    return `- **${status}**${code === undefined ? '' : ` \`${code}\``}: ${oneLine(summary)}`;
  });
}

/**
 * Returns the error code in the body of an answer. In a body with `BadRequest`, the code is the name of the field in this
 * object. Undefined for `{"error":"…"}`, which has only a text.
 */
function codeIn(body: unknown): string | undefined {
  const { code, BadRequest = {} } = Object(body) as { code?: string; BadRequest?: object };
  return code ?? Object.keys(BadRequest)[0];
}

/** Returns a block of code. Its fence has four backticks, so that the text may contain fences of three. */
const codeOf = (language: string, text: string): string => `\`\`\`\`${language}\n${text}\n\`\`\`\``;
