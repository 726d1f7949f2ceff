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
 * Matches contrast results that axe-core leaves undecided. They are ignored, because elements that axe-core can measure have the same colors. The
 * patterns are for
 * - parts of highlighted code that consist of one letter or of the lines of a tree: longer parts have the same colors
 * - the list of headings, which lies in a fixed box above the page: the menu has the same colors
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
    // Scripts set the title of the light/dark switch, so the title shows that they have run.
    await page.locator('.VPSwitchAppearance[title^="Switch"]').first().waitFor({ state: 'attached' });
    return { page, complaints };
  };

  describe.each(LOOKS)('at $width px, $colorScheme', (look) => {
    // Pages of the API reference take long to check, so the test checks all pages only in the narrow window, and five pages in the wide one.
    it.each(PAGES.slice(0, look.width < 1000 ? undefined : 5))(
      'meets WCAG A and AA, does not scroll sideways, logs no error, and loads nothing from other origins: /docs/%s',
      async (at) => {
        const { page, complaints } = await open(at, look);
        // Opens folded sections, so that they are checked too.
        await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true; })');
        const problems = await problemsOf(page, { scrolls: true });
        expect(problems.filter((problem) => !UNDECIDED.test(problem))).toEqual([]);
        expect(complaints).toEqual([]);
        await page.context().close();
      },
    );
  });

  it('finds an operation by the search, and shows its sample in the selected language', async () => {
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
