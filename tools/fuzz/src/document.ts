/** A JSON Schema, draft 2020-12, as in OpenAPI 3.1. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  example?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  allOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

interface Content {
  schema?: Schema;
}

export interface DocumentedAnswer {
  $ref?: string;
  content?: Readonly<Record<string, Content>>;
}

/** The parts of an OpenAPI document that the fuzzer reads. */
export interface OpenApiDocument {
  openapi: string;
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  components?: {
    schemas?: Readonly<Record<string, Schema>>;
    responses?: Readonly<Record<string, DocumentedAnswer>>;
  };
}

interface DocumentedOperation {
  operationId?: string;
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content: Readonly<Record<string, Content>> };
  responses: Readonly<Record<string, DocumentedAnswer>>;
  security?: readonly object[];
}

/** One operation. Its references are resolved, except inside schemas. */
export interface Operation {
  /** The operation's method and path, such as `POST /admin/partners`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: Schema; readonly required: boolean };
  readonly answers: ReadonlyMap<number, DocumentedAnswer>;
  /** Whether the operation needs no credential, and ignores a credential that is sent. */
  readonly isPublic: boolean;
}

/** Returns all operations of a document, in the order of the document. */
export function operationsOf({ paths, components }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody, responses, security }]) => {
      const schema = requestBody?.content['application/json']?.schema;
      const answers = Object.entries(responses).map(([status, answer]): [number, DocumentedAnswer] => [
        Number(status),
        answer.$ref ? (components?.responses?.[lastOf(answer.$ref)] as DocumentedAnswer) : answer,
      ]);
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters,
        ...(schema && { body: { schema, required: requestBody?.required === true } }),
        answers: new Map(answers),
        isPublic: security?.length === 0,
      };
    }),
  );
}

/** Returns the schema of the document to which a schema refers. A schema without a reference is returned unchanged. */
export function resolved(schema: Schema, document: OpenApiDocument): Schema {
  const { components } = document;
  // If a field adds keywords to a reference, its schema has the reference in an `allOf` with one entry. The added
  // keywords are ignored here.
  if (schema.allOf?.length === 1) return resolved(schema.allOf[0] as Schema, document);
  if (schema.$ref === undefined) return schema;
  const target = components?.schemas?.[lastOf(schema.$ref)];
  if (!target) throw new Error(`${schema.$ref} is not in the document`);
  return target;
}

const lastOf = (reference: string): string => reference.split('/').at(-1) as string;
