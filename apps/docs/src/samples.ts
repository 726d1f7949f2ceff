import { type Api } from './apis';
import { type Endpoint, exampleOf, type Parameter } from './openapi';

/** The samples of an operation, one for each language. */
export interface Samples {
  readonly typescript: string;
  readonly python: string;
  readonly curl: string;
}

export const BASE_URL = 'https://api.example.com';

/** A sample request. */
interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly token: string | undefined;
  readonly body: unknown;
  readonly answersJson: boolean;
}

/** Returns the samples of an operation that send a plain HTTP request, without an SDK. */
export function plainSamples(api: Api, endpoint: Endpoint): Samples {
  const call = callOf(api, endpoint);
  return { typescript: typescriptOf(call), python: pythonOf(call), curl: curlOf(call) };
}

function callOf({ token }: Api, { method, path, operation }: Endpoint): Call {
  const parameters = operation.parameters ?? [];
  const value = (parameter: Parameter): string => encodeURIComponent(String(sampleValue(parameter)));
  const address = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, value(parameter)), path);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${value(parameter)}`);
  const content = operation.requestBody?.content['application/json'];
  return {
    method,
    url: BASE_URL + [address, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
    headers: parameters
      .filter(({ in: place, required }) => place === 'header' && required)
      .map((parameter) => [parameter.name, String(sampleValue(parameter))]),
    token: operation.security?.length === 0 ? undefined : token,
    body: content && exampleOf(content),
    answersJson: Object.entries(operation.responses).some(
      ([status, answer]) =>
        /^2/.test(status) && 'content' in answer && answer.content?.['application/json'] !== undefined,
    ),
  };
}

const UUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

/** The values of some parameters that have no example in the OpenAPI documents, by parameter name. */
const VALUES: Readonly<Record<string, string>> = {
  oid: 'sub-1001',
  user_id: 'krn:tandem:eu:user:jane',
  location_id: 'de-fra',
  voucherGroupId: UUID,
};

function sampleValue({ name, example, schema }: Parameter): unknown {
  return example ?? schema.example ?? schema.enum?.[0] ?? VALUES[name] ?? (schema.type === 'integer' ? 1000001 : UUID);
}

function curlOf({ method, url, headers, token, body }: Call): string {
  const shown = [
    ...(token === undefined ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...headers.map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : [`--json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ];
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  return [`curl ${isImplied ? '' : `-X ${method} `}'${url}'`, ...shown].join(' \\\n  ');
}

function typescriptOf({ method, url, headers, token, body, answersJson }: Call): string {
  const sent = [
    ...(token === undefined ? [] : [`authorization: \`Bearer \${process.env.${token}}\``]),
    ...headers.map(([name, value]) => `'${name.toLowerCase()}': '${value}'`),
    ...(body === undefined ? [] : [`'content-type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(sent.length === 0 ? [] : [`  headers: { ${sent.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indentedAfterFirst(scriptOf(body))}),`]),
  ];
  return [
    `const answer = await fetch('${url}'${options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`});`,
    'if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);',
    ...(answersJson ? ['console.log(await answer.json());'] : []),
  ].join('\n');
}

function pythonOf({ method, url, headers, token, body, answersJson }: Call): string {
  const sent = [
    ...(token === undefined ? [] : [`"Authorization": f"Bearer {os.environ['${token}']}"`]),
    ...headers.map(([name, value]) => `"${name}": "${value}"`),
  ];
  const options = [
    `    "${method}",`,
    `    "${url}",`,
    ...(sent.length === 0 ? [] : [`    headers={${sent.join(', ')}},`]),
    ...(body === undefined ? [] : [`    json=${indentedAfterFirst(literalOf(body), 4)},`]),
  ];
  return [
    ...(token === undefined ? [] : ['import os']),
    'import httpx',
    '',
    `answer = httpx.request(\n${options.join('\n')}\n)`,
    'answer.raise_for_status()',
    ...(answersJson ? ['print(answer.json())'] : []),
  ].join('\n');
}

const indentedAfterFirst = (text: string, by = 2): string => text.replace(/\n/g, `\n${' '.repeat(by)}`);

/** Returns a value as a JavaScript expression. */
const scriptOf = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replace(/^( *)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"((?:[^"\\']|\\.)*)"/g, "'$1'");

/** Returns a value as a Python expression. */
function literalOf(value: unknown): string {
  const text = JSON.stringify(value, null, 4);
  return text.replace(/(: |^ *)(true|false|null)(,?)$/gm, (_match, before: string, word: string, after: string) => {
    return `${before}${{ true: 'True', false: 'False', null: 'None' }[word]}${after}`;
  });
}
