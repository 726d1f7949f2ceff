import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { stackEnvironment } from '../processes/apps';
import { Child, type Cleanup, ROOT } from '../processes/child';
import { type Figure, ms } from '../report';
import { quantile } from '../statistics';

/** The maximum time until the largest paint of the first screen, ms. */
const LIMIT_MS = 2_500;
const WINDOW = { width: 1280, height: 800 };
/** Lighthouse's throttling of a phone: 1.6 Mbit/s, a round trip of 150 ms, and a processor that is four times slower. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const SLOWER_CPU = 4;
/** How long a page is watched after its last request, because it may still paint something larger. */
const SETTLED_MS = 1_500;

/** Stores the time of the largest paint so far. The browser reports only paints that are larger than all earlier paints. */
const OBSERVE = `new PerformanceObserver((list) => { for (const { startTime } of list.getEntries()) window.largestPaint = startTime; })
  .observe({ type: 'largest-contentful-paint', buffered: true });`;

interface BrowserModule {
  findBrowser(runner: object): Promise<string>;
}
interface RunnerModule {
  Runner: new () => object;
}

const rootModule = <Exports>(file: string): Promise<Exports> =>
  import(pathToFileURL(path.join(ROOT, file)).href) as Promise<Exports>;

/** Starts Chromium. @throws when there is no browser */
async function startBrowser(cleanup: Cleanup): Promise<Browser> {
  const { Runner } = await rootModule<RunnerModule>('tools/stack/runner.mjs');
  const { findBrowser } = await rootModule<BrowserModule>('tools/test/browser.mjs');
  const browser = await chromium.launch({ executablePath: await findBrowser(new Runner()), args: ['--disable-gpu'] });
  cleanup.add(() => browser.close());
  return browser;
}

/** Starts the edge, which serves the console and the documentation; no app runs behind it. @returns its address */
async function startEdge(superuserUrl: string, cleanup: Cleanup): Promise<string> {
  // The edge uses neither Postgres nor the bus: `stackEnvironment` requires both options, but only for the variables of the apps.
  const { edge } = await stackEnvironment({ bus: 'postgres', superuserUrl });
  const { child, ready } = await Child.start<{ url: string }>({
    name: 'edge',
    file: path.join(ROOT, 'tools/edge/dist/main.js'),
    env: { ...edge, EDGE_PORT: '0' },
  });
  cleanup.add(() => child.stop());
  return ready.url;
}

/** Loads a page in a new profile with an empty cache. @returns the milliseconds from the navigation to the largest paint */
async function largestPaint(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: WINDOW });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', NETWORK);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_CPU });
    await page.addInitScript(OBSERVE);
    await page.goto(url, { waitUntil: 'networkidle' });
    await page.waitForTimeout(SETTLED_MS);
    const paint = await page.evaluate<number | undefined>('window.largestPaint');
    if (paint === undefined) throw new Error(`${url} painted nothing`);
    return paint;
  } finally {
    await context.close();
  }
}

/** (1) Measures how long a person waits for the first screen of the console and of the documentation on a slow connection. */
export async function measurePaint(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const browser = await startBrowser(cleanup);
  const origin = await startEdge(serverUrl, cleanup);
  const figures: Figure[] = [];
  for (const site of ['console', 'docs']) {
    const paints: number[] = [];
    for (let round = 0; round < rounds; round += 1) paints.push(await largestPaint(browser, `${origin}/${site}/`));
    const median = quantile(paints, 0.5);
    figures.push({
      name: `(1) largest paint of /${site}/, throttled, median of ${rounds}`,
      value: ms(median),
      target: `<= ${ms(LIMIT_MS)}`,
      met: median <= LIMIT_MS,
    });
  }
  return figures;
}
