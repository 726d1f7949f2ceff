import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { SITES } from '../../../apps/apps';
import { MEDIA_CACHE, PAGE_CACHE, siteHeaders } from './console-headers';
import { OWN_HEADERS } from './errors';

const BUILT = path.resolve(__dirname, '../../../apps/docs/dist');
const PREFIX = '/docs';

/** The page of the docs site to which each old path redirects. */
export const DOCS_REDIRECTS = SITES.find(({ name }) => name === 'docs')?.redirects ?? {};

/**
 * Serves the docs site in the same way as its image (apps/docs/image). The address of a page has no extension: /docs/operations is
 * operations.html. If the site is not built, only the redirects of old paths are served.
 */
export async function addDocs(app: FastifyInstance, root = BUILT): Promise<void> {
  for (const [from, to] of Object.entries(DOCS_REDIRECTS))
    for (const url of [from, `${from}/`]) app.get(url, (_request, reply) => reply.headers(OWN_HEADERS).redirect(to));
  if (!existsSync(path.join(root, 'index.html'))) return;
  const names = new Set(
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll(path.sep, '/')),
  );
  await app.register(async (scope) => {
    await scope.register(files, { root, preCompressed: true, serve: false, cacheControl: false });
    scope.addHook('onRequest', async (_request, reply) => void reply.headers(siteHeaders()));
    // A file in assets never changes: its name contains a hash of its content.
    scope.addHook('onSend', async (request, reply) => {
      const isMedia = request.url.startsWith(`${PREFIX}/assets/`) && reply.statusCode === 200;
      void reply.headers({ 'cache-control': isMedia ? MEDIA_CACHE : PAGE_CACHE, vary: 'accept-encoding' });
    });
    scope.get(PREFIX, (_request, reply) => reply.redirect(`${PREFIX}/`));
    scope.get<{ Params: { '*': string } }>(`${PREFIX}/*`, ({ params }, reply) => {
      const name = fileFor(params['*'], names);
      return name === undefined ? reply.code(404).sendFile('404.html') : reply.sendFile(name);
    });
  });
}

/**
 * Returns the file for a path below /docs/: the file itself, the page of that name, or the index page of the folder. Returns undefined if
 * none of them exists.
 */
const fileFor = (at: string, names: ReadonlySet<string>): string | undefined =>
  (at === '' || at.endsWith('/') ? [`${at}index.html`] : [at, `${at}.html`, `${at}/index.html`]).find(
    (name) => names.has(name) && /\.\w+$/.test(name),
  );
