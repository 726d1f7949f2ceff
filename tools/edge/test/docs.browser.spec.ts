import { existsSync } from 'node:fs';
import path from 'node:path';
import { describeInBrowser, problemsOf, TestBrowser } from '@tandem/testing';
import fastify, { type FastifyInstance } from 'fastify';
import { addDocs } from '../src/docs-site';

const DIST = path.resolve(__dirname, '../../../apps/docs/dist');
const PAGES = [
  '',
  'partner-guide',
  'operations',
  'reference/',
  'reference/partner',
  'reference/client',
  'reference/manager',
  'reference/support',
  'reference/discovery',
];
const LOOKS = [
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
] as const;

/**
 * What axe-core cannot decide: parts of highlighted code that are a single letter or the lines of a tree, whose colours it measures elsewhere; and the
 * list of headings, which is in a fixed box above the page. Its colours are measured as those of the menu.
 */
const UNDECIDED =
  /^color-contrast: [^]*(?:too short to determine|contains only non-text characters)|^color-contrast: <[^>]* class="outline-(?:title|link)[^]*could not be determined/;

describeInBrowser('the docs site', () => {
  let app: FastifyInstance;
  let browser: TestBrowser;
  let url: string;
  beforeAll(async () => {
    expect([DIST, existsSync(DIST)]).toEqual([DIST, true]);
    app = fastify();
    await addDocs(app, DIST);
    url = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await TestBrowser.start();
  });
  afterAll(async () => {
    await browser?.stop();
    await app.close();
  });

  /** Opens a page, and waits until its scripts run. */
  const open = async (at: string, look: (typeof LOOKS)[number]) => {
    const complaints: string[] = [];
    const page = await browser.open('about:blank', look);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on(
      'request',
      (request) => request.url().startsWith('http') && !request.url().startsWith(url) && complaints.push(request.url()),
    );
    await page.goto(`${url}/docs/${at}`);
    // Scripts set the title of the switch between light and dark.
    await page.locator('.VPSwitchAppearance[title^="Switch"]').first().waitFor({ state: 'attached' });
    return { page, complaints };
  };

  describe.each(LOOKS)('at $width px, $colorScheme', (look) => {
    // The pages of the reference are long: the wide window gets one of them.
    it.each(PAGES.slice(0, look.width < 1000 ? undefined : 5))(
      'meets WCAG A and AA, does not scroll sideways, and violates no policy: /docs/%s',
      async (at) => {
        const { page, complaints } = await open(at, look);
        // What is folded counts too.
        await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })');
        const problems = await problemsOf(page, { scrolls: true });
        expect(problems.filter((problem) => !UNDECIDED.test(problem))).toEqual([]);
        expect(complaints).toEqual([]);
        await page.context().close();
      },
    );
  });

  it('finds an operation, and shows its sample in the language that is chosen', async () => {
    const { page } = await open('', LOOKS[1]);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('create a checkout URL');
    await page.getByRole('option').filter({ hasText: 'Create a checkout URL' }).first().click();
    await page.waitForURL(/reference\/partner(\.html)?#createCheckoutUrl$/);
    const sample = page.locator('.vp-code-group').filter({ hasText: 'create_url' }).first();
    await sample.getByText('Python', { exact: true }).click();
    expect(await sample.locator('.language-python').innerText()).toContain(
      'tandem.checkout.create_url(ref_id="order-1")',
    );
    await page.context().close();
  });
});
