import { checkHandlerOptions, MAX_BODY_BYTES, type PostbackHandlerOptions, takePostback } from './take-postback.ts';
import type { RawBody } from './verify.ts';

/** The parts of a request of Express, Connect or `node:http` that a handler uses. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body that a body parser has set, parsed or raw. */
  readonly body?: unknown;
  /** The body as it was received, which some hosts set in addition to a parsed body. */
  readonly rawBody?: unknown;
  [Symbol.asyncIterator]?(): AsyncIterator<unknown>;
}

export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

/** The parts of a Fastify instance that the plugin uses. */
export interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  post(url: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown;
}
export interface FastifyRequestLike {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body?: unknown;
}
export interface FastifyReplyLike {
  code(status: number): FastifyReplyLike;
  headers(headers: Record<string, string>): FastifyReplyLike;
  send(text: string): unknown;
}

/**
 * Returns a handler for frameworks whose handlers take a `Request` and return a `Response`: Next.js, Hono, Remix, Bun, Deno, Cloudflare
 * Workers.
 *
 *     export const POST = nextHandler({ secrets, store, onSale });                        // Next.js: app/tandem/route.ts
 *     app.post('/tandem', (context) => honoHandler({ secrets, store, onSale })(context.req.raw));
 */
export function fetchHandler(options: PostbackHandlerOptions): (request: Request) => Promise<Response> {
  checkHandlerOptions(options);
  return async (request) => {
    const readBody = async (): Promise<RawBody | undefined> => readUpToLimit(request.body && chunksOf(request.body));
    const { status, text, headers } = await takePostback(request.headers, readBody, options);
    return new Response(text, { status, headers });
  };
}
export const nextHandler = fetchHandler;
export const honoHandler = fetchHandler;

/**
 * Returns a handler for Express, Connect and `node:http`. Mount it before `express.json()`, or behind `express.raw({ type: '*\/*' })`: it
 * needs the body as it was received.
 *
 *     app.post('/tandem', expressHandler({ secrets, store, onSale }));
 */
export function expressHandler(
  options: PostbackHandlerOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  checkHandlerOptions(options);
  return async (request, response) => {
    const { status, text, headers } = await takePostback(request.headers, () => nodeBody(request), options);
    response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(text);
  };
}

/**
 * Returns a plugin for Fastify. The body parser that it sets applies only to this route.
 *
 *     app.register(fastifyHandler({ url: '/tandem', secrets, store, onSale }));
 */
export function fastifyHandler({
  url,
  ...options
}: PostbackHandlerOptions & { readonly url: string }): (app: FastifyLike) => Promise<void> {
  checkHandlerOptions(options);
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    app.post(url, async (request, reply) => {
      const body = async (): Promise<RawBody> => (request.body as Uint8Array | undefined) ?? '';
      const { status, text, headers } = await takePostback(request.headers, body, options);
      return reply
        .code(status)
        .headers({ ...headers })
        .send(text);
    });
  };
}

async function nodeBody(request: NodeRequest): Promise<RawBody | undefined> {
  for (const body of [request.rawBody, request.body])
    if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (request.body !== undefined)
    throw new TypeError('the body was parsed before: mount the handler before express.json()');
  return readUpToLimit(request as AsyncIterable<Uint8Array>);
}

/** Returns the bytes of all chunks; undefined when they exceed MAX_BODY_BYTES. */
async function readUpToLimit(chunks: AsyncIterable<Uint8Array> | null): Promise<Uint8Array | undefined> {
  const all: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks ?? []) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return undefined;
    all.push(chunk);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of all) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

/** Yields the chunks of a stream. Needed because some runtimes cannot iterate a stream directly. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}
