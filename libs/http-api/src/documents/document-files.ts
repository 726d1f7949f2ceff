import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PreparedAnswer } from '../prepared-answer/prepared-answer';
import { sendUnlessKnown } from '../prepared-answer/send';
import { ByteBudget } from './byte-budget';
import { initScriptOf, PAGE_ASSETS, pageOf } from './document-page';

/** A document and the path at which it is served. */
export interface ServedDocument {
  /** The path without a leading slash, for example `docs`. */
  readonly path: string;
  readonly title: string;
  /** Generates the document. Called once, on the first request. */
  readonly make: () => object;
}

/**
 * The limit for all documents of a process together, so that they do not take CPU time and bandwidth from API calls.
 */
const BYTES_PER_SECOND = 16 * 1024 * 1024;
const MAX_AGE_SECONDS = 300;

/** 429: the same request may succeed in the next second. */
class TooManyDocumentsError extends Error {
  readonly statusCode = 429;

  constructor() {
    super('The documentation is asked for too often now; try again in 1 s.');
  }
}

/** Serves each document, its page, and the files that the page loads. Each file is generated once, on its first request. */
export function serveDocuments(fastify: FastifyInstance, documents: readonly ServedDocument[]): void {
  const budget = new ByteBudget(BYTES_PER_SECOND);
  for (const [url, prepare] of documents.flatMap(filesOf)) {
    let answer: PreparedAnswer | undefined;
    fastify.get(url, (request, reply) => {
      answer ??= prepare();
      sendUnlessKnown(answer, request, reply, ({ length }) => {
        if (request.method === 'HEAD' || budget.take(length, performance.now())) return;
        reply.header('retry-after', '1');
        throw new TooManyDocumentsError();
      });
    });
  }
}

type File = readonly [url: string, prepare: () => PreparedAnswer];

function filesOf({ path: at, title, make }: ServedDocument): File[] {
  const page = (): PreparedAnswer => prepared(pageOf(at, title), 'text/html; charset=utf-8');
  return [
    [`/${at}`, page],
    [`/${at}/`, page],
    [`/${at}/openapi.json`, () => prepared(JSON.stringify(make()), 'application/json; charset=utf-8')],
    [`/${at}/swagger-ui-init.js`, () => prepared(initScriptOf(at), 'text/javascript; charset=utf-8')],
    ...Object.keys(PAGE_ASSETS).map((name): File => [`/${at}/${name}`, () => assetOf(name)]),
  ];
}

const assets = new Map<string, PreparedAnswer>();

/** Returns a file of the page. All documents of the process share one copy. */
function assetOf(name: string): PreparedAnswer {
  const known = assets.get(name);
  if (known) return known;
  const folder = path.dirname(require.resolve('swagger-ui-dist/package.json'));
  const asset = prepared(readFileSync(path.join(folder, name)), PAGE_ASSETS[name] as string);
  assets.set(name, asset);
  return asset;
}

const prepared = (body: string | Buffer, type: string): PreparedAnswer =>
  new PreparedAnswer(Buffer.from(body), {
    'content-type': type,
    'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
    ...(type.startsWith('text/html') && { 'content-security-policy': "frame-ancestors 'none'" }),
  });
