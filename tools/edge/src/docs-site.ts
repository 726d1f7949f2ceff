import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import files from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { SITES } from '../../../apps/apps';
import { MEDIA_CACHE, PAGE_CACHE, siteHeaders } from './console-headers';
import { OWN_HEADERS } from './errors';

const BUILT = path.resolve(__dirname, '../../../apps/docs/dist');
const PREFIX = '/docs';

/** The addresses of the pages to which old paths redirect. */
export const DOCS_REDIRECTS = SITES.find(({ name }) => name === 'docs')?.redirects ?? {};

/** Serves the docs site as its image does (apps/docs/image). Addresses of pages have no extension. */
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
    // The names of assets contain a hash of their content.
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

/** The file for a path below the site: the file itself, a page, or the first page of a folder. */
const fileFor = (at: string, names: ReadonlySet<string>): string | undefined =>
  (at === '' || at.endsWith('/') ? [`${at}index.html`] : [at, `${at}.html`, `${at}/index.html`]).find(
    (name) => names.has(name) && /\.\w+$/.test(name),
  );
