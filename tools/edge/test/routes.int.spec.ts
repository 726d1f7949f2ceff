import { EdgeUnderTest } from './edge-under-test';
import { SERVED_PATHS, UNSERVED_PATHS } from './paths';

describe('the routes of the edge', () => {
  const edge = new EdgeUnderTest();

  it.each(SERVED_PATHS)(
    'forward %s %s to the stand-in %s with path and query unchanged [interface.base-path, interface.docs-page]',
    async (method, path, name) => {
      const response = await fetch(`${edge.url}${path}`, { method });
      expect([response.status, response.headers.get('x-app')]).toEqual([200, name]);
      expect((name === 'webhook-ingest' ? edge.ingest : edge.gateway).last()).toMatchObject({ method, url: path });
    },
  );

  it.each([...UNSERVED_PATHS, 'http://127.0.0.1/internal', '*'])(
    'answer 404 to %s and forward nothing [interface.docs-page, interface.one-base-url]',
    async (path) => {
      const before = [edge.gateway.seen.length, edge.ingest.seen.length];
      const answer = await edge.raw(path);
      const isPlain = path.startsWith('/idp/');
      expect(answer).toMatchObject({
        status: 404,
        type: expect.stringContaining(isPlain ? 'application/json' : 'application/problem+json'),
      });
      const problem = { status: 404, code: 'not_found', requestId: expect.any(String) };
      expect(JSON.parse(answer.body)).toMatchObject(
        isPlain ? { error: 'Nothing is served under this path.' } : problem,
      );
      expect([edge.gateway.seen.length, edge.ingest.seen.length]).toEqual(before);
    },
  );

  it.each([
    ['/manager-docs', '/docs/reference/manager'],
    ['/idp-docs/', '/docs/reference/client'],
    ['/support-docs', '/docs/reference/support'],
    ['/ids2-docs', '/docs/reference/discovery'],
    ['/guide', '/docs/partner-guide'],
    ['/client-guide', '/docs/client-guide'],
    ['/docs', '/docs/'],
  ])('redirect %s to %s on the docs site [interface.docs-page]', async (path, page) => {
    const answer = await fetch(edge.url + path, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, page]);
    expect((await fetch(edge.url + page)).status).toBe(200);
  });

  it('add nosniff and no-store to the edge’s own answers, and forbid framing of /developers', async () => {
    const own = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
    const headersOf = async (path: string) =>
      Object.fromEntries((await fetch(edge.url + path, { headers: { accept: 'text/html' } })).headers);
    for (const path of ['/nothing', '/admin/%']) expect(await headersOf(path)).toMatchObject(own);
    expect(await headersOf('/developers')).toMatchObject({
      ...own,
      'content-security-policy': "frame-ancestors 'none'",
    });
    expect((await edge.exchange('hello\r\n\r\n')).headers).toContain('x-content-type-options: nosniff');
  });

  it('redirect browsers from the base URL to the console, and answer 404 to other callers', async () => {
    const answer = async (accept: string) => fetch(edge.url, { headers: { accept }, redirect: 'manual' });
    const page = await answer('text/html,*/*;q=0.8');
    expect([page.status, page.headers.get('location')]).toEqual([302, '/console/']);
    expect((await answer('*/*')).status).toBe(404);
  });

  describe('GET /developers', () => {
    const page = async () => {
      const response = await fetch(`${edge.url}/developers`, { headers: { accept: 'text/html,*/*;q=0.8' } });
      return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
    };

    it('returns a page without scripts and without dead links', async () => {
      const { status, type, text } = await page();
      expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).not.toMatch(/<script/i);
      const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link as string);
      expect(links).toEqual([
        '/console/',
        '/docs/',
        '/docs/partner-guide',
        '/docs/reference/partner',
        '/docs/reference/manager',
        '/docs/client-guide',
        '/docs/reference/client',
        '/docs/reference/support',
        '/docs/reference/discovery',
      ]);
      for (const link of links) expect([link, (await fetch(`${edge.url}${link}`)).status]).toEqual([link, 200]);
    });

    it('shows which app is ready, is not ready, or does not answer', async () => {
      edge.gateway.answer.handle = (_request, response) => void response.writeHead(503).end();
      edge.ingest.answer.handle = (request) => void request.socket.destroy();
      expect((await page()).text).toMatch(/partner-gateway<td>not ready.*webhook-ingest<td>does not answer/s);
      edge.gateway.answer.handle = undefined;
      expect((await page()).text).toMatch(/partner-gateway<td>ready/);
    });
  });
});
