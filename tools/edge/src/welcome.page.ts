import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EdgeConfig } from './config';
import { NOT_FOUND, OWN_HEADERS, sendError } from './errors';

/** The time in which an app must report its state. The page shows a slower app as "does not answer". */
const STATUS_MS = 1_000;

/**
 * Registers two routes. The base URL redirects browsers to the console, and answers 404 to other callers. `/developers` shows links to the
 * documentation and the state of the apps.
 */
export function addWelcomePage(app: FastifyInstance, config: EdgeConfig): void {
  app.get('/', async (request, reply) =>
    wantsPage(request) ? reply.headers(OWN_HEADERS).redirect('/console/') : sendError(request, reply, NOT_FOUND),
  );
  app.get('/developers', async (_request, reply) => {
    const states = await Promise.all(
      Object.entries(config.upstreams).map(async ([name, url]) => [name, await stateOf(url)] as const),
    );
    return reply
      .type('text/html; charset=utf-8')
      .headers({ ...OWN_HEADERS, 'content-security-policy': "frame-ancestors 'none'" })
      .send(pageOf(states));
  });
}

/** Returns whether a request comes from a browser: browsers name text/html in `Accept`, while programs usually accept any type. */
const wantsPage = ({ headers: { accept = '' } }: FastifyRequest): boolean => accept.includes('text/html');

async function stateOf(url: string): Promise<string> {
  try {
    const { ok } = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(STATUS_MS) });
    return ok ? 'ready' : 'not ready';
  } catch {
    return 'does not answer';
  }
}

const pageOf = (states: readonly (readonly [string, string])[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tandem</title>
<style>
  :root { color-scheme: light dark; --back: #ffffff; --text: #1b1f24; --link: #1d4ed8; --line: #6e7781; }
  @media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --link: #79b8ff; --line: #768390; } }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1.25rem;
    background: var(--back); color: var(--text); overflow-wrap: anywhere; }
  a { color: var(--link); } dt { font-weight: 650; margin-top: 1rem; } dd { margin: 0; }
  td { padding: .15rem 1.5rem .15rem 0; border-bottom: 1px solid var(--line); }
</style>
<h1>Tandem</h1>
<p><a href="/console/">The console</a> is for partners, their managers, and support; <a href="/docs/">the documentation</a> is for everybody. These are the APIs of affiliate partners, of those who manage them, of identity protection and its support, and of VPN locations.</p>
<dl>
  <dt>Partners</dt><dd><a href="/docs/partner-guide">Guide for integration engineers</a> · <a href="/docs/reference/partner">API reference</a></dd>
  <dt>Partner managers</dt><dd><a href="/docs/reference/manager">API reference</a> · <code>npm run partner -- --help</code></dd>
  <dt>Client apps</dt><dd><a href="/docs/client-guide">Guide for client apps</a> · <a href="/docs/reference/client">API reference</a> · <code>npm run token -- --help</code></dd>
  <dt>Support</dt><dd><a href="/docs/reference/support">API reference</a> · <code>npm run support -- --help</code></dd>
  <dt>VPN clients</dt><dd><a href="/docs/reference/discovery">API reference</a></dd>
  <dt>Status</dt><dd><table>${states.map(([name, state]) => `<tr><td>${name}<td>${state}`).join('')}</table></dd>
</dl>
</html>
`;
