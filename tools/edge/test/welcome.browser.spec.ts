import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeInBrowser, LOOKS, problemsOf, TestBrowser } from '@tandem/testing';
import { PUBLIC_APPS } from '../src/config';
import { type RunningEdge, startEdge } from '../src/server';

describeInBrowser('the page for developers', () => {
  const app = createServer((_request, response) => response.end('{}'));
  let edge: RunningEdge;
  let browser: TestBrowser;
  beforeAll(async () => {
    await new Promise<void>((listening) => app.listen(0, '127.0.0.1', listening));
    // Only partner-gateway answers, so the page shows both `ready` and `does not answer`.
    const away = Object.fromEntries(PUBLIC_APPS.map(({ name }) => [name, 'http://127.0.0.1:9']));
    const upstreams = { ...away, 'partner-gateway': `http://127.0.0.1:${(app.address() as AddressInfo).port}` };
    edge = await startEdge({ host: '127.0.0.1', port: 0, upstreams });
    browser = await TestBrowser.start();
  });
  afterAll(async () => {
    await browser.stop();
    await edge.close();
    app.closeAllConnections();
    await new Promise((closed) => app.close(closed));
  });

  it.each(LOOKS)('meets WCAG A and AA, and does not scroll sideways, $width px wide, $colorScheme', async (look) => {
    const page = await browser.open(`${edge.url}/developers`, look);
    expect(await problemsOf(page)).toEqual([]);
    await page.context().close();
  });

  it('shows the state of the apps without scripts', async () => {
    const page = await browser.open(`${edge.url}/developers`, {
      width: 390,
      colorScheme: 'dark',
      javaScriptEnabled: false,
    });
    const rows = await page.locator('tr').allTextContents();
    expect(rows.map((row) => row.trim())).toEqual(
      PUBLIC_APPS.map(({ name }) =>
        expect.stringMatching(new RegExp(`^${name}\\s*${name === 'partner-gateway' ? 'ready' : 'does not answer'}`)),
      ),
    );
    await page.context().close();
  });
});
