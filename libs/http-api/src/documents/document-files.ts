import type { FastifyInstance } from 'fastify';
import { PreparedAnswer } from '../prepared-answer/prepared-answer';
import { sendUnlessKnown } from '../prepared-answer/send';
import { ByteBudget } from './byte-budget';

/** A document and where it is served. */
export interface ServedDocument {
  /** The path of the document, without a leading slash: it is served at `<path>/openapi.json`. */
  readonly path: string;
  /** Generates the document. Called once, on the first request. */
  readonly make: () => object;
}

/**
 * How many bytes of documents each process sends per second at most, so that API calls still have enough CPU time and bandwidth.
 */
const BYTES_PER_SECOND = 16 * 1024 * 1024;
const MAX_AGE_SECONDS = 300;

/** The bytes of this second are used up: 429, because the same request may succeed in the next second. */
class TooManyDocumentsError extends Error {
  readonly statusCode = 429;

  constructor() {
    super('Too many requests for the documentation; try again in 1 s.');
  }
}

/** Serves the documents. Each document is generated once, on its first request. */
export function serveDocuments(fastify: FastifyInstance, documents: readonly ServedDocument[]): void {
  const budget = new ByteBudget(BYTES_PER_SECOND);
  for (const { path, make } of documents) {
    let answer: PreparedAnswer | undefined;
    fastify.get(`/${path}/openapi.json`, (request, reply) => {
      answer ??= prepared(make());
      sendUnlessKnown(answer, request, reply, ({ length }) => {
        if (request.method === 'HEAD' || budget.take(length, performance.now())) return;
        reply.header('retry-after', '1');
        throw new TooManyDocumentsError();
      });
    });
  }
}

const prepared = (document: object): PreparedAnswer =>
  new PreparedAnswer(Buffer.from(JSON.stringify(document)), {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
  });
