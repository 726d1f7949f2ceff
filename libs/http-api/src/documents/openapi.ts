import type { INestApplication } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { completed } from '../endpoint/document.rules';
import type { ErrorAnswers } from '../endpoint/failure-responses';
import { type ServedDocument, serveDocuments } from './document-files';

/** One OpenAPI document of an app. */
export interface OpenApiOptions {
  title: string;
  /** Markdown. */
  description: string;
  /** The document is served at `<path>/openapi.json`. Default `docs`. */
  path?: string;
  /** The name of the document's file in `docs/openapi`, without `.json`. Default: the app's name. */
  file?: string;
  /** The part of the API that the edge serves, for readers outside the platform. Default: the document describes every route. */
  published?: PublishedApi;
  /** Edits the document after its routes have been added, but before their errors and examples are added. */
  finish?: (document: OpenAPIObject) => OpenAPIObject;
}

/** An API for readers outside the platform. */
export interface PublishedApi {
  /** The document contains this path and the paths below it. */
  readonly prefix: string;
  /** Further paths that the document contains, with the paths below them. All other paths are left out. */
  readonly more?: readonly string[];
  /** The tags of operations, and their descriptions. */
  readonly tags: Readonly<Record<string, string>>;
  /** The bearer tokens that operations require, by their name in `@ApiBearerAuth()`. */
  readonly tokens: Readonly<Record<string, { readonly format?: string; readonly description?: string }>>;
}

/** Returns the OpenAPI document of an app, generated from its decorators. */
export function openApiDocument(
  nest: INestApplication,
  { title, description, published, finish = (document) => document }: OpenApiOptions,
  answers: ErrorAnswers,
): OpenAPIObject {
  const frame = new DocumentBuilder().setTitle(title).setDescription(description).setVersion('2');
  if (published) describePublished(frame, published);
  else frame.addBearerAuth();
  const document = SwaggerModule.createDocument(nest, frame.build(), { autoTagControllers: false });
  const finished = finish(published ? pathsBelow(document, [published.prefix, ...(published.more ?? [])]) : document);
  return asOpenApi31(completed(finished, { ...answers, anyPath: published?.prefix ?? '/' }));
}

function describePublished(frame: DocumentBuilder, { tags, tokens }: PublishedApi): void {
  frame
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The host that serves this document');
  for (const [name, about] of Object.entries(tags)) frame.addTag(name, about);
  for (const [name, { format = 'JWT', description }] of Object.entries(tokens)) {
    const scheme = { type: 'http', scheme: 'bearer', bearerFormat: format } as const;
    frame.addBearerAuth({ ...scheme, ...(description !== undefined && { description }) }, name);
  }
}

const pathsBelow = (document: OpenAPIObject, prefixes: readonly string[]): OpenAPIObject => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).filter(([path]) => prefixes.some((one) => `${path}/`.startsWith(`${one}/`))),
  ),
});

/** Serves the documents. Each document is generated on its first request, so that the app starts sooner. */
export function serveOpenApi(
  nest: NestFastifyApplication,
  documents: OpenApiOptions | readonly OpenApiOptions[],
  answers: ErrorAnswers,
): void {
  const served = [documents].flat().map((options: OpenApiOptions): ServedDocument => ({
    path: options.path ?? 'docs',
    make: () => openApiDocument(nest, options, answers),
  }));
  serveDocuments(nest.getHttpAdapter().getInstance() as unknown as FastifyInstance, served);
}

/**
 * Converts a document to OpenAPI 3.1, whose schemas are JSON Schema. A nullable schema gets the additional type `null`. A nullable
 * reference becomes `oneOf` the reference and `null`.
 */
const asOpenApi31 = (document: OpenAPIObject): OpenAPIObject => ({
  ...(nullAsType(document) as OpenAPIObject),
  openapi: '3.1.0',
});

const NULL = { type: 'null' };

function nullAsType(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullAsType);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...rest } = value as Record<string, unknown>;
  const copy = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, nullAsType(inner)]));
  if (nullable !== true) return copy;
  const { allOf, description } = copy;
  if (Array.isArray(allOf)) return { ...(description !== undefined && { description }), oneOf: [...allOf, NULL] };
  if (typeof copy['type'] !== 'string') throw new Error(`a nullable schema needs a type: ${JSON.stringify(value)}`);
  const values = copy['enum'] as unknown[] | undefined;
  return { ...copy, type: [copy['type'], 'null'], ...(values && { enum: [...new Set([...values, null])] }) };
}
