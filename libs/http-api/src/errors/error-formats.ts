import { STATUS_CODES } from 'node:http';
import { describeProblems, type HttpFailure } from './http-failure';

/** The parts of a request that a format can use in addition to the failure. */
export interface FailedRequest {
  id: string;
  path: string;
}

/** Writes a failure as an API's error body, and describes that body in the API's document. */
export interface ErrorFormat {
  readonly contentType: string;
  body(failure: HttpFailure, request: FailedRequest): object;
  /** The schemas of the bodies, by name. */
  readonly schemas: Readonly<Record<string, object>>;
  /** Returns a schema that the bodies of all these failures match. */
  schemaOf(failures: readonly HttpFailure[]): object;
  /** Describes the failures of one status. Default: the status and the codes. Markdown. */
  describe?(failures: readonly HttpFailure[]): string;
  /** Returns the name and the summary of a failure's example. Default: the failure's code and detail. */
  textOf?(failure: HttpFailure): { readonly name: string; readonly description: string };
}

const ref = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** RFC 9457 `application/problem+json` with `code`, `requestId`, and `errors` for validation. */
export const PROBLEM_FORMAT: ErrorFormat = {
  contentType: 'application/problem+json; charset=utf-8',
  body: ({ status, code, detail, errors }, request) => ({
    type: `urn:tandem:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: detail ?? STATUS_CODES[status] ?? 'Error',
    instance: request.path,
    code,
    requestId: request.id,
    ...(errors ? { errors } : {}),
  }),
  schemas: {
    FieldProblem: {
      type: 'object',
      properties: {
        field: {
          type: 'string',
          example: 'product.name',
        },
        message: {
          type: 'string',
        },
      },
      description: 'What is wrong with a field',
      required: ['field', 'message'],
    },
    Problem: {
      type: 'object',
      properties: {
        type: {
          type: 'string',
          format: 'uri',
          description: '`urn:tandem:problem:` followed by the code',
        },
        title: {
          type: 'string',
          description: 'The standard text of the HTTP status',
        },
        status: {
          type: 'integer',
          minimum: 400,
          maximum: 599,
        },
        detail: {
          type: 'string',
        },
        instance: {
          type: 'string',
          description: 'The path of the request',
        },
        code: {
          type: 'string',
        },
        requestId: {
          type: 'string',
          description: 'The same value as in the header `X-Request-Id`',
        },
        errors: {
          description: 'Only with `validation_failed`: the invalid fields and what is wrong with each',
          type: 'array',
          items: {
            $ref: '#/components/schemas/FieldProblem',
          },
        },
      },
      description: 'An error (RFC 9457). `code` is for programs, `detail` for people.',
      required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'],
    },
  },
  schemaOf: (failures) => ({
    allOf: [
      ref('Problem'),
      {
        type: 'object',
        required: ['code'],
        properties: { code: { type: 'string', enum: [...new Set(failures.map(({ code }) => code))] } },
      },
    ],
  }),
};

/** `{"error":"…"}`: the format of webhook-ingest, idp-support and discovery. idp-api uses it for some errors. */
export const PLAIN_FORMAT: ErrorFormat = {
  contentType: 'application/json; charset=utf-8',
  body: ({ status, detail, errors }) => ({
    error: errors?.length ? describeProblems(errors) : (detail ?? (STATUS_CODES[status] ?? 'error').toLowerCase()),
  }),
  schemas: {
    PlainError: {
      type: 'object',
      properties: {
        error: {
          type: 'string',
        },
      },
      description: 'An error as text',
      required: ['error'],
    },
  },
  schemaOf: () => ref('PlainError'),
};
