import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { OpenApiDocument, Operation, Schema } from './document';
import type { Credentials, FuzzRequest } from './requests';

export interface FuzzAnswer {
  readonly status: number;
  /** Undefined if the answer has no content type. */
  readonly contentType: string | undefined;
  /** The value of the header X-Content-Type-Options. */
  readonly contentTypeOptions: string | undefined;
  readonly cacheControl: string | undefined;
  readonly text: string;
}

/** Matches a Cache-Control header that keeps answers, which may be personal, out of shared caches. */
const KEPT_BY_NO_PROXY = /^(no-store$|private\b)/;

/** The kinds of credentials that every operation must refuse unless it is public. */
const STRANGERS: readonly string[] = ['none', 'broken'] satisfies Credentials[];

/**
 * The rules of an operation that its schema cannot express. A refusal for such a rule is right, although the request
 * matches the document.
 * - If a refusal names a field, the key is the field, and the pattern matches the message about the field.
 * - If a refusal names no field, the key is the code of the refusal, and the pattern matches the empty string.
 */
export type RulesBeyondSchema = Readonly<Record<string, RegExp>>;

/** An error answer in any of the platform's forms. */
interface Problem {
  code?: string;
  errors?: readonly { field: string; message: string }[];
  /** An error of the client API: its name, such as `InputValidationFailure`, with its data. */
  BadRequest?: Readonly<Record<string, { invalid_fields?: readonly string[] }>>;
  error?: string;
}

/** Compares answers with an OpenAPI document. */
export class AnswerCheck {
  private readonly ajv: Ajv;
  private readonly validators = new Map<Schema, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: 'document', components: document.components });
  }

  /**
   * Returns the complaints about an answer; an empty list when nothing is wrong. The texts do not depend on the values
   * of the request. Some answers are always wrong:
   * - a 5xx
   * - a success without a credential or with a broken one, unless the operation is public
   * - an answer without nosniff
   * - an answer that shared caches may keep
   *
   * Every other answer is compared with the document.
   */
  complaintsOf(operation: Operation, request: FuzzRequest, answer: FuzzAnswer, beyond: RulesBeyondSchema): string[] {
    const documented = operation.answers.get(answer.status);
    if (answer.status < 300 && !operation.isPublic && STRANGERS.includes(request.credentials))
      return [`answers ${answer.status} to bad credentials`];
    if (answer.status >= 500) return [`answers ${answer.status}`];
    if (answer.contentTypeOptions !== 'nosniff') return [`answers ${answer.status} without nosniff`];
    if (!KEPT_BY_NO_PROXY.test(answer.cacheControl ?? ''))
      return [`answers ${answer.status}, which a shared cache may keep`];
    if (!documented) return [`answers ${answer.status} (${codeOf(answer)}), which is not documented`];
    return [
      ...this.bodyComplaints(documented.content ?? {}, answer),
      ...this.requestComplaints(operation, request, answer, beyond),
    ];
  }

  private bodyComplaints(content: Readonly<Record<string, { schema?: Schema }>>, answer: FuzzAnswer): string[] {
    const { status, text } = answer;
    const types = Object.keys(content);
    if (types.length === 0) return text === '' ? [] : [`${status} has a body, and none is documented`];
    const type = answer.contentType?.split(';', 1)[0] ?? 'none';
    const schema = content[type]?.schema;
    if (!schema) return [`${status} has the content type ${type}, documented is ${types.join()}`];
    return this.schemaErrors(schema, /\bjson$/.test(type) ? JSON.parse(text) : text).map(
      (error) => `${status}: ${error}`,
    );
  }

  /**
   * Returns complaints if the API refuses a request that the document allows, or accepts a body that the document does
   * not allow.
   */
  private requestComplaints(
    { body }: Operation,
    request: FuzzRequest,
    answer: FuzzAnswer,
    beyond: RulesBeyondSchema,
  ): string[] {
    const { status } = answer;
    if (request.fits && (status === 400 || status === 422)) {
      return refusals(answer)
        .filter(({ field, message }) => !beyond[field]?.test(message))
        .map(({ field, message }) => `refuses with ${status} what the document allows: ${field}: ${message}`);
    }
    if (!body || !request.body || status >= 300) return [];
    return this.schemaErrors(body.schema, JSON.parse(request.body)).map(
      (error) => `accepts with ${status} a body that the document does not allow: ${error}`,
    );
  }

  private schemaErrors(schema: Schema, value: unknown): string[] {
    let validate = this.validators.get(schema);
    if (!validate) {
      validate = this.ajv.compile(inDocument(schema) as object);
      this.validators.set(schema, validate);
    }
    if (validate(value)) return [];
    const errors = validate.errors ?? [];
    return [
      ...new Set(errors.map(({ instancePath, message }) => `${instancePath.replace(/\/\d+/g, '/n')} ${message}`)),
    ];
  }
}

/** Rewrites the references of a schema so that they can be resolved outside its document. */
const inDocument = (schema: Schema): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));

function problemOf({ text }: FuzzAnswer): Problem {
  try {
    return (JSON.parse(text) ?? {}) as Problem;
  } catch {
    return {};
  }
}

function codeOf(answer: FuzzAnswer): string {
  const { code, error, BadRequest = {} } = problemOf(answer);
  return code ?? Object.keys(BadRequest)[0] ?? error ?? 'without a code';
}

/** Matches a field with its message: one part of an error text such as `ssn: is wrong; address.zip: is wrong`. */
const NAMED_FIELD = /^([\w.[\]]+): (.*)$/;

/** Returns what an answer refuses: each field with its message, or only the code. */
function refusals(answer: FuzzAnswer): { field: string; message: string }[] {
  const { errors, error = '', BadRequest = {} } = problemOf(answer);
  if (errors?.length) return [...errors];
  const named = error.split('; ').flatMap((text) => {
    const [, field, message] = NAMED_FIELD.exec(text) ?? [];
    return field === undefined ? [] : [{ field, message: message ?? '' }];
  });
  if (named.length > 0) return named;
  const fields = BadRequest['InputValidationFailure']?.invalid_fields;
  return (fields ?? [codeOf(answer)]).map((field) => ({ field, message: '' }));
}
