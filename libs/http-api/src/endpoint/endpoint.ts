import { applyDecorators, Header, HttpCode, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiBody,
  ApiExtension,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { RequestAuthenticator } from '../authentication/request-authenticator';
import { type AnswerHeader, headersOf } from './answer-header';

/** An error, or the class of an error if its constructor needs no arguments. */
export type ErrorSource = Error | (new () => Error);

/**
 * Defines who may call an endpoint. Each kind of caller has an Access, or a function that creates one, such as
 * `userAccess`.
 */
export interface Access {
  readonly by: Type<RequestAuthenticator<never>>;
  /** The requirements of the endpoint, which are passed to the authenticator. */
  readonly options?: unknown;
  /** The name of the bearer token's security scheme in the OpenAPI document; null if the endpoint takes no token. */
  readonly token: string | null;
  /** What else the access requires of the caller, appended to the endpoint's description. Markdown. */
  readonly description?: string;
  /** The errors that the authenticator can throw. */
  readonly errors: readonly ErrorSource[];
  /** Whether an endpoint that takes no body ignores the body of a request. */
  readonly ignoresBody?: boolean;
  /** Whether answers have the `RateLimit` headers. */
  readonly limited?: boolean;
  readonly extensions?: Readonly<Record<`x-${string}`, string>>;
}

/** A successful answer. */
export interface Answer {
  /** Default 200. */
  readonly status?: number;
  /** Default `OK`. */
  readonly description?: string;
  /** The class of the body; `[Class]` for a list of that class; undefined if `schema` describes the body, or if there is no body. */
  readonly type?: Type | readonly [Type];
  /** The body's schema, if no class describes it. */
  readonly schema?: object;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Fields that replace those of the generated example; a string replaces the whole example. Ignored for a list. */
  readonly example?: object | string;
  /** Whole examples by name, which replace the generated example. */
  readonly examples?: Readonly<Record<string, object>>;
  readonly headers?: Readonly<Record<string, object>>;
}

export interface RequestBody {
  /** The class of the body. Needed if Nest cannot infer it from the handler's `@Body()`. */
  readonly type?: Type;
  /** The schema of the body. Needed if no class describes it. */
  readonly schema?: object;
  /** Whether a body of `type` may be omitted. */
  readonly optional?: boolean;
  /** Whether a body of `type` may be null. */
  readonly nullable?: boolean;
  /** Examples by name. */
  readonly examples?: Readonly<Record<string, object>>;
}

export interface EndpointOptions {
  readonly access: Access;
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** The name of the operation's function in generated clients. Default: the handler's name. */
  readonly id?: string;
  /** The tag of the operation. Default: the controller's `@ApiTags()`. */
  readonly tag?: string;
  /**
   * Required for an endpoint that takes a body; `{}` if Nest can infer everything. Without `body`, bodies are ignored if the
   * access has `ignoresBody`.
   */
  readonly body?: RequestBody;
  /** Default: 204. */
  readonly answer?: Answer | readonly Answer[];
  /**
   * The endpoint's own errors. The errors of the access, of unreadable requests, of invalid input and of outages are
   * added automatically.
   */
  readonly errors?: readonly ErrorSource[];
  /** Headers of the endpoint's successful answers, in addition to the headers that every answer has. */
  readonly headers?: readonly AnswerHeader[];
  /** The answer must not be cached: it gets `Cache-Control: no-store`. */
  readonly noStore?: boolean;
  /** The handler returns JSON text that another app wrote. */
  readonly relayed?: boolean;
  /** False if the handler validates its input itself; `errors` then lists the error of invalid input. Default true. */
  readonly validates?: boolean;
}

/** The extension of an operation that has the index of its options. It is removed before the document is complete. */
export const ENDPOINT = 'x-endpoint';

const endpoints: EndpointOptions[] = [];

/** Returns the options of an operation; undefined for an operation without {@link Endpoint}. */
export const endpointOf = (operation: object): EndpointOptions | undefined =>
  endpoints[(operation as { [ENDPOINT]?: number })[ENDPOINT] ?? -1];

/**
 * Declares an endpoint: authenticates the caller before the body is read, sets the status of the answer (unless `answer` lists several),
 * and describes the endpoint in the OpenAPI document. Errors are resolved against the app's error map when the document is generated.
 */
export function Endpoint(options: EndpointOptions): MethodDecorator {
  const { access, summary, id, tag, body, answer = { status: 204, description: 'Done' }, noStore, relayed } = options;
  const answers: readonly Answer[] = [answer].flat();
  const [first] = answers;
  const headers = [...(noStore ? (['Cache-Control'] as const) : []), ...(options.headers ?? [])];
  const description = [options.description, access.description].filter((part) => part !== undefined).join('\n\n');
  return (target, key, descriptor) =>
    applyDecorators(
      authenticated(options, id ?? String(key)),
      ...(answers.length === 1 ? [HttpCode(first?.status ?? 200)] : []),
      ...(noStore ? [Header('Cache-Control', 'no-store')] : []),
      ...(relayed ? [Header('Content-Type', 'application/json; charset=utf-8')] : []),
      ...(access.token === null ? [] : [ApiBearerAuth(access.token)]),
      ...Object.entries(access.extensions ?? {}).map(([name, value]) => ApiExtension(name, value)),
      ApiOperation({
        operationId: id ?? String(key),
        summary,
        ...(description && { description }),
        // An empty list marks the operation as public.
        ...(access.token === null && { security: [] }),
      }),
      ...(tag === undefined ? [] : [ApiTags(tag)]),
      ApiExtension(ENDPOINT, endpoints.push(options) - 1),
      REQUEST_ID,
      ...(body ? bodyOf(body) : []),
      ...answers.map((one) => answerOf(one, headers)),
    )(target, key, descriptor);
}

const authenticated = ({ access, body }: EndpointOptions, id: string): MethodDecorator =>
  RouteConfig({
    authentication: { by: access.by, options: access.options, endpoint: id },
    ignoresBody: access.ignoresBody === true && body === undefined,
  });

const REQUEST_ID = ApiHeader({
  name: 'X-Request-Id',
  required: false,
  description: 'Returned in the answer and written to our logs. A value that does not match the pattern is replaced.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
});

function bodyOf({ type, schema, optional = false, nullable = false }: RequestBody): MethodDecorator[] {
  if (schema) return [ApiBody({ required: true, schema })];
  if (!type) return [];
  const described = nullable ? { schema: { allOf: [{ $ref: getSchemaPath(type) }], nullable: true } } : { type };
  return [ApiExtraModels(type), ApiBody({ ...described, required: !optional })];
}

function answerOf(answer: Answer, names: readonly AnswerHeader[]): MethodDecorator {
  const { status = 200, description = 'OK', type, contentType = 'application/json', example, examples } = answer;
  const response = { status, description, headers: { ...headersOf(names), ...answer.headers } };
  const [item] = [type ?? []].flat();
  const ref = item && { $ref: getSchemaPath(item) };
  const schema = answer.schema ?? (Array.isArray(type) ? { type: 'array', items: ref } : ref);
  if (!schema) return ApiResponse(response);
  const named =
    examples && Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { summary: name, value }]));
  const content = { [contentType]: { schema, ...(example && { example }), ...(named && { examples: named }) } };
  return applyDecorators(...(item ? [ApiExtraModels(item)] : []), ApiResponse({ ...response, content }));
}
