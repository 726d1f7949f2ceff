import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../errors';
import { registerForms } from '../forms';
import { ANSWERS } from './behaviour.view';
import { inboxesPage, inboxPage } from './inbox.page';
import { type InboxBehaviour, type InboxBook, type InboxMessage } from './inbox';
import { messageCard, viewOf } from './message.view';
import type { SigningSecrets } from './signing-secrets';

interface Named {
  Params: { name?: string };
}

interface Watched extends Named {
  Querystring: { after?: string };
}

/** The name of the inbox that `POST /inbox` writes to. */
const DEFAULT_NAME = 'default';
const HEARTBEAT_MS = 15_000;
/** The maximum number of earlier messages that a page shows when it opens, or gets when it reconnects. */
const SHOWN = 100;

const params = {
  type: 'object',
  properties: { name: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,100}$' } },
};

const secretBody = {
  type: 'object',
  required: ['secret'],
  additionalProperties: false,
  properties: { secret: { type: 'string', pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$' } },
};

const afterQuery = { type: 'object', properties: { after: { type: 'string', pattern: '^\\d{1,15}$' } } };
const oidQuery = { type: 'object', properties: { oid: { type: 'string', minLength: 1, maxLength: 255 } } };

const behaviourBody = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: { type: 'integer', minimum: 200, maximum: 599 },
    delayMs: { type: 'integer', minimum: 0, maximum: 600_000 },
    hang: { type: 'boolean' },
    times: { type: ['integer', 'null'], minimum: 1 },
    headers: {
      type: 'object',
      propertyNames: { pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$" },
      additionalProperties: { type: 'string', pattern: '^[\\t\\x20-\\x7e]*$' },
    },
  },
};

/** Registers the partners' endpoints, which record requests and answer as configured. */
export function registerInbox(app: FastifyInstance, book: InboxBook, secrets: SigningSecrets): void {
  void app.register(async (scope) => {
    // Accepts every content type and parses nothing, because requests are recorded as they were received.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const receive = (request: FastifyRequest<Named>, reply: FastifyReply): Promise<FastifyReply> =>
      take({ book, secrets }, request, reply);
    scope.post<Named>('/inbox', receive);
    scope.post<Named>('/inbox/:name', { schema: { params } }, receive);
    scope.post<Named>('/inbox/:name/clear', { schema: { params } }, (request, reply) => {
      book.clear(nameOf(request));
      return reply.redirect(`/inbox/${encodeURIComponent(nameOf(request))}`, 303);
    });
  });

  for (const url of ['/inbox', '/inbox/:name']) {
    app.get<Named>(url, { schema: { params } }, (request, reply) =>
      reply.type('text/html').send(inboxPage(nameOf(request), book, SHOWN)),
    );
  }
  app.get<{ Querystring: { oid?: string } }>('/inboxes', { schema: { querystring: oidQuery } }, (request, reply) => {
    const { oid } = request.query;
    const name = oid === undefined ? null : book.findByBody(JSON.stringify(oid));
    if (name !== null) return reply.redirect(`/inbox/${encodeURIComponent(name)}`, 302);
    return reply.type('text/html').send(inboxesPage(book.overview(), oid));
  });
  app.get<Named>('/inbox/:name/messages', { schema: { params } }, (request) => ({
    items: book.list(nameOf(request)).map(viewOf),
  }));
  app.delete<Named>('/inbox/:name/messages', { schema: { params } }, (request) => ({
    cleared: book.clear(nameOf(request)),
  }));
  app.put<Named & { Body: Partial<InboxBehaviour> }>(
    '/inbox/:name/behaviour',
    { schema: { params, body: behaviourBody } },
    (request) => book.setBehaviour(nameOf(request), request.body),
  );
  registerForms(app, (scope) => {
    scope.post<Named & { Body: URLSearchParams }>(
      '/inbox/:name/behaviour',
      { schema: { params } },
      (request, reply) => {
        const answer = ANSWERS.find(({ value }) => value === request.body.get('answer'));
        if (!answer) throw new SandboxError(400, 'answer: must be one of the buttons of the page');
        book.setBehaviour(nameOf(request), answer.behaviour);
        return reply.redirect(`/inbox/${encodeURIComponent(nameOf(request))}`, 303);
      },
    );
  });
  app.post<Named & { Body: { secret: string } }>(
    '/inbox/:name/signing-secrets',
    { schema: { params, body: secretBody } },
    (request, reply) => reply.code(201).send({ known: secrets.add(nameOf(request), request.body.secret) }),
  );
  app.get<Watched>('/inbox/:name/events', { schema: { params, querystring: afterQuery } }, (request, reply) =>
    stream(book, request, reply),
  );
}

const nameOf = (request: FastifyRequest<Named>): string => request.params.name ?? DEFAULT_NAME;

async function take(
  { book, secrets }: { book: InboxBook; secrets: SigningSecrets },
  request: FastifyRequest<Named>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const name = nameOf(request);
  const now = new Date();
  const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  book.record(name, {
    receivedAt: now.toISOString(),
    method: request.method,
    path: request.url,
    headers: request.headers,
    signature: secrets.check(name, request.headers, rawBody, now),
    rawBody: rawBody.toString('utf8'),
  });
  const behaviour = book.nextBehaviour(name);
  if (behaviour.hang) return reply.hijack();
  if (behaviour.delayMs > 0) await delay(behaviour.delayMs);
  const success = behaviour.status < 300;
  return reply
    .code(behaviour.status)
    .headers(behaviour.headers)
    .send(success ? { received: true } : { error: `this inbox was told to answer ${behaviour.status}` });
}

/**
 * Streams messages to the page of an inbox as Server-Sent Events with the data `{"html"}`: first the latest messages with an id above `after`, then
 * each new message. A browser that reconnects continues after the last message that it received.
 */
function stream(book: InboxBook, request: FastifyRequest<Watched>, reply: FastifyReply): void {
  reply.hijack();
  const response = reply.raw;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (message: InboxMessage): unknown =>
    response.write(`id: ${message.id}\ndata: ${JSON.stringify({ html: messageCard(message) })}\n\n`);

  const seen = Number(request.headers['last-event-id'] ?? request.query.after ?? 0);
  const before = book.list(nameOf(request)).filter(({ id }) => id > seen);
  response.write('retry: 1000\n\n');
  for (const message of before.slice(0, SHOWN).reverse()) send(message);

  const unwatch = book.watch(nameOf(request), send);
  const heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS);
  response.once('close', () => {
    clearInterval(heartbeat);
    unwatch();
  });
}
