import { readFileSync } from 'node:fs';
import { inRepository } from '@tandem/stack-client';
import { AnswerCheck } from '../answer-check';
import { type OpenApiDocument, type Operation, operationsOf } from '../document';

/** The documents in docs/openapi, each with its app and the path below which the app serves the document as `openapi.json`. */
export const DOCUMENTS = [
  ['client-api', 'idp-api', '/idp-docs'],
  ['support-api', 'idp-support', '/support-docs'],
  ['discovery-api', 'discovery', '/ids2-docs'],
  ['partner-api', 'partner-gateway', '/docs'],
  ['manager-api', 'partner-gateway', '/manager-docs'],
  ['postback-dispatcher', 'postback-dispatcher', '/docs'],
  ['voucher-service', 'voucher-service', '/docs'],
  ['webhook-ingest', 'webhook-ingest', '/docs'],
] as const;

/** An operation of an app. */
export interface Subject {
  readonly app: string;
  readonly operation: Operation;
  /**
   * The operation and its document, in which fields named `count` have a low maximum. Requests are generated from these,
   * so that a run does not fill the database.
   */
  readonly small: { readonly operation: Operation; readonly document: OpenApiDocument };
  readonly check: AnswerCheck;
  /** Matches the paths of the operation, without their query. */
  readonly path: RegExp;
}

export const readDocument = (name: string): OpenApiDocument =>
  JSON.parse(readFileSync(inRepository('docs/openapi', `${name}.json`), 'utf8')) as OpenApiDocument;

/** The maximum value of fields that are named `count`, in the documents from which a run generates requests. */
const MAX_COUNT = 50;

/**
 * Returns the document with a maximum for each integer field that is named `count`. In a request, such a field says how
 * many rows to create.
 */
const smaller = (document: OpenApiDocument): OpenApiDocument =>
  JSON.parse(JSON.stringify(document), (key, value) =>
    key === 'count' && [Object(value).type].flat().includes('integer') ? { ...value, maximum: MAX_COUNT } : value,
  ) as OpenApiDocument;

/** Returns all operations of all documents. */
export function subjects(): readonly Subject[] {
  return DOCUMENTS.flatMap(([name, app]) => {
    const document = readDocument(name);
    const check = new AnswerCheck(document);
    const small = smaller(document);
    const smallOperations = operationsOf(small);
    return operationsOf(document).map((operation, index) => ({
      app,
      operation,
      small: { operation: smallOperations[index] as Operation, document: small },
      check,
      path: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
  });
}
