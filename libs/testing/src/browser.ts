import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';

/** How a page is displayed. */
export interface Look {
  /** The window's width, in CSS pixels. */
  width: number;
  colorScheme: 'light' | 'dark';
  /** Whether scripts run. Default true. */
  javaScriptEnabled?: boolean;
  /** The browser's time zone, for example `America/Denver`. Default: the time zone of the machine. */
  timezoneId?: string;
}

/** A phone and a desktop, each in light and dark. */
export const LOOKS: readonly Look[] = [390, 1280].flatMap((width) => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
]);

const HEIGHT = 900;
/** How long a test waits for a page, ms. */
const TIMEOUT_MS = 30_000;
const WCAG_A_AND_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * `describe` for tests that need a real browser. The tests are skipped, and counted as skipped, only if BROWSER_SKIP is set. When
 * `npm test` finds no browser, it sets BROWSER_SKIP and reports that the browser is missing.
 */
export const describeInBrowser = (name: string, suite: () => void): void => {
  (process.env['BROWSER_SKIP'] ? describe.skip : describe)(name, suite);
};

/** A headless Chromium. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  /** Starts the browser at `CHROME_PATH`. @throws when `CHROME_PATH` is not set */
  static async start(): Promise<TestBrowser> {
    const executablePath = process.env['CHROME_PATH'];
    if (!executablePath)
      throw new Error('CHROME_PATH is not set: run the tests with `npm test`, which looks for a browser');
    // Only the tests that start a browser load this package.
    const { chromium } = await import('playwright-core');
    return new TestBrowser(await chromium.launch({ executablePath, args: ['--disable-gpu'] }));
  }

  /** Opens a page in its own window. */
  async open(url: string, { width, ...look }: Look): Promise<Page> {
    const viewport = { width, height: HEIGHT };
    const context = await this.browser.newContext({ ...look, viewport });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    await page.goto(url);
    return page;
  }

  stop(): Promise<void> {
    return this.browser.close();
  }
}

interface AxeResult {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

const isDrawn = ({ html }: AxeResult['nodes'][number]): boolean => /^<(tspan|text)\b/.test(html);

const isCovered = ({ failureSummary = '' }: AxeResult['nodes'][number]): boolean => failureSummary.includes('obscured');

/**
 * Returns the faults of an open page whose scripts run:
 * - each violation of WCAG 2 A and AA that axe-core finds
 * - each contrast that axe-core cannot measure, except in drawings
 * - sideways scrolling of the page
 *
 * @param options `scrolls` must be true if tables scroll inside the page. Text that such a table hides is then not
 *   reported as unmeasured, so also check the page in a wide window. `within` restricts axe-core to the part of the
 *   page with this CSS selector. Use it for an open dialog, because contrasts behind a dialog cannot be measured
 */
export async function problemsOf(page: Page, { scrolls = false, within = 'html' } = {}): Promise<string[]> {
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const options = JSON.stringify({ runOnly: { type: 'tag', values: WCAG_A_AND_AA } });
  const { violations, incomplete } = await page.evaluate<{ violations: AxeResult[]; incomplete: AxeResult[] }>(
    `axe.run(${JSON.stringify(within)}, ${options})`,
  );
  // axe cannot measure text in a drawing.
  const unmeasured = incomplete
    .filter(({ id }) => id === 'color-contrast')
    .map(({ id, nodes }) => ({ id, nodes: nodes.filter((node) => !isDrawn(node) && !(scrolls && isCovered(node))) }));
  const [content, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  return [
    ...[...violations, ...unmeasured].flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html}: ${failureSummary}`),
    ),
    ...(content > window ? [`scrolls sideways: its content is ${content} px wide, the window ${window} px`] : []),
  ];
}
