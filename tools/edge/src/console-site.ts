import { existsSync } from 'node:fs';
import path from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { consoleHeaders, type ConsoleSettings, MEDIA_CACHE, PAGE_CACHE } from './console-headers';
import { NOT_FOUND, sendError } from './errors';

const BUILT = path.resolve(__dirname, '../../../apps/console/dist');
const PREFIX = '/console';

/**
 * Serves the console's files in the same way as the console's image (apps/console/image). If the console is not built,
 * serves nothing. A path that is not a file gets index.html, which shows the screen of the path; below
 * `/console/assets/`, it gets 404.
 */
export async function addConsole(app: FastifyInstance, settings: ConsoleSettings, root = BUILT): Promise<void> {
  if (!existsSync(path.join(root, 'index.html'))) return;
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => void reply.headers(consoleHeaders(settings)));
    await scope.register(files, {
      root,
      prefix: `${PREFIX}/`,
      preCompressed: true,
      wildcard: false,
      cacheControl: false,
      redirect: false,
    });
    // A file in assets never changes: its name contains a hash of its content.
    scope.addHook('onSend', async (request, reply) => {
      const isMedia = request.url.startsWith(`${PREFIX}/assets/`) && reply.statusCode === 200;
      void reply.headers({ 'cache-control': isMedia ? MEDIA_CACHE : PAGE_CACHE, vary: 'accept-encoding' });
    });
    const { issuer, clientId, scope: scopes } = settings;
    scope.get(`${PREFIX}/config.json`, () => ({ issuer, clientId, scope: scopes }));
    scope.get(PREFIX, (_request, reply) => reply.redirect(`${PREFIX}/`));
    scope.get(`${PREFIX}/*`, (request, reply) => {
      if (request.url.startsWith(`${PREFIX}/assets/`)) return sendError(request, reply, NOT_FOUND);
      return reply.sendFile('index.html');
    });
  });
}
