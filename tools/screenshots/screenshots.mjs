/**
 * `npm run screenshots` starts a separate stack, creates a month of sales, and writes the screenshots that the guides show to docs/images.
 * `npm run screenshots -- --all FOLDER` writes every screen in the list of `screensOf`, light and dark, for a desktop and a telephone, to FOLDER.
 */
import '../stack/node-version.mjs';

const { createRequire } = await import('node:module');
const fs = await import('node:fs');
const path = await import('node:path');
const { ensureInstalled, prepare, projectsFor } = await import('../stack/install.mjs');
ensureInstalled();
const { inRoot } = await import('../stack/paths.mjs');
const { Runner } = await import('../stack/runner.mjs');
const { bold, step, report } = await import('../stack/console.mjs');
const { findBrowser } = await import('../test/browser.mjs');
const { ConsoleDriver } = await import('../test/console-driver.mjs');
const { startTestStack } = await import('../test/test-stack.mjs');

const LOOKS = {
  desktop: { width: 1280, colorScheme: 'light' },
  'desktop-dark': { width: 1280, colorScheme: 'dark' },
  telephone: { width: 390, colorScheme: 'light' },
  'telephone-dark': { width: 390, colorScheme: 'dark' },
};
/** The screens that the guides show, by the names of their files in docs/images. */
const SHOWN_IN_GUIDES = ['manager-overview', 'manager-story-failing', 'portal-overview', 'support-user'];

const all = process.argv[2] === '--all' ? process.argv[3] : undefined;
const folder = path.resolve(all ?? inRoot('docs/images'));
fs.mkdirSync(folder, { recursive: true });

report(bold('Screenshots of the console'));
const runner = new Runner();
await prepare(runner, projectsFor('tools/stack-client/dist/index.js'));
process.env.CHROME_PATH = await step('find a browser', () => findBrowser(runner));
const load = createRequire(import.meta.url);
const { TestBrowser } = load('@tandem/testing');
const { sellForAMonth } = await import('./sales-history.mjs');

const running = await step('start a stack', () => startTestStack());
const browser = await TestBrowser.start();
try {
  const driver = new ConsoleDriver(running.stack, browser);
  const scene = await step('sell for a month', () => playScene(driver));
  const screens = screensOf(driver, scene).filter(({ name }) => all || SHOWN_IN_GUIDES.includes(name));
  for (const [look, settings] of Object.entries(all ? LOOKS : { desktop: LOOKS.desktop })) {
    const pages = await openPages(driver, scene, settings);
    for (const { name, who, at } of screens) {
      await photograph(driver, pages[who], at, path.join(folder, all ? `${name}-${look}.png` : `${name}.png`));
    }
    await Promise.all(Object.values(pages).map((page) => page.context().close()));
  }
  report(`${screens.length} screens are in ${path.relative(process.cwd(), folder) || '.'}`);
} finally {
  await browser.stop();
  await running.stop();
}

/** Creates partners, a month of sales, a held sale, and a postback that fails. */
async function playScene(driver) {
  const partner = await driver.partner('Northwind Outdoors');
  await driver.partner('Contoso Travel');
  await sellForAMonth(driver.stack, partner.code);
  const oid = await driver.sell(partner, { data4: 'order-1042' });
  const held = await driver.sell(partner, { email: 'someone@yopmail.com', data4: 'order-1043' });
  await driver.behave(partner, { status: 500 });
  const failing = await driver.sell(partner, { data4: 'order-1044' });
  await driver.eventually(async () => {
    const { items } = await driver.manage('GET', `/admin/partners/${partner.id}/deliveries?oid=${failing}`);
    return items[0]?.attempts.length > 0;
  });
  return { partner, oid, held, failing };
}

async function openPages(driver, { partner }, look) {
  const link = await driver.manage('POST', `/admin/partners/${partner.id}/portal-links`, { environment: 'live' });
  const portal = await driver.open(link.url, look);
  await portal.getByRole('button', { name: 'Sign out' }).waitFor();
  return {
    nobody: await driver.open('/', look),
    staff: await driver.signIn('Alex Admin', '/', look),
    portal,
  };
}

function screensOf(driver, { partner, oid, failing }) {
  const ofPartner = (tab) => `/partners/${partner.id}?tab=${tab}`;
  const tabs = ['figures', 'sales', 'promotions', 'tokens', 'endpoint', 'deliveries', 'links', 'settings', 'audit'];
  const portal = ['overview', 'sales', 'endpoint', 'deliveries', 'checkout'];
  const user = (name) => `/support/users/${encodeURIComponent(driver.stack.users[name].krn)}`;
  return [
    { name: 'sign-in', who: 'nobody', at: '/' },
    ...['overview', 'sales', 'held', 'partners', 'applications', 'audit'].map((name) => ({
      name: `manager-${name}`,
      who: 'staff',
      at: `/${name}`,
    })),
    ...tabs.map((tab) => ({ name: `partner-${tab}`, who: 'staff', at: ofPartner(tab) })),
    { name: 'manager-story', who: 'staff', at: `/sales/${oid}` },
    { name: 'manager-story-failing', who: 'staff', at: `/sales/${failing}` },
    { name: 'support-find', who: 'staff', at: '/support' },
    { name: 'support-audit', who: 'staff', at: '/support-audit' },
    { name: 'support-user', who: 'staff', at: user('b') },
    ...portal.map((name) => ({ name: `portal-${name}`, who: 'portal', at: `/my/${name}` })),
    { name: 'portal-sale', who: 'portal', at: `/my/sales/${oid}` },
  ];
}

async function photograph(driver, page, at, file) {
  await driver.goTo(page, at);
  await page.waitForLoadState('networkidle');
  // Waits until the animations of charts and notifications have ended.
  await page.waitForTimeout(600);
  await page.screenshot({ path: file, fullPage: Boolean(all) });
}
