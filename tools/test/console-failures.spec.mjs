import { createRequire } from 'node:module';
import { ACTIONS } from './console-actions.mjs';
import { ConsoleDriver } from './console-driver.mjs';
import { withFaults, withListFaults } from './console-faults.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const load = createRequire(import.meta.url);
const { describeInBrowser, TestBrowser } = load('@tandem/testing');

/**
 * Lists: who reads them, their place, and the API's path of their rows.
 *
 * @type {[string, string, RegExp][]}
 */
const LIST_ROWS = [
  ['a manager', '/partners', /^\/admin\/partners$/],
  ['a manager', '/sales', /^\/admin\/sales$/],
  ['a manager', '/held', /^\/admin\/sales$/],
  ['a manager', '/applications', /^\/admin\/applications$/],
  ['a manager', '/audit', /^\/admin\/audit$/],
  ...['promotions', 'tokens', 'deliveries', 'portal-links'].map(
    (name) =>
      /** @type {[string, string, RegExp]} */ ([
        'a manager',
        `/partners/{partner}?tab=${name === 'portal-links' ? 'links' : name}`,
        new RegExp(`^/admin/partners/[^/]+/${name}$`),
      ]),
  ),
  ['support', '/support-audit', /^\/idp\/support\/audit$/],
  ['a partner', '/my/sales', /^\/api\/v2\/partner\/sales$/],
  ['a partner', '/my/deliveries', /^\/api\/v2\/partner\/postback\/deliveries$/],
];
const LISTS = LIST_ROWS.map(([who, at, path]) => ({ who, at, path }));

describeInBrowser('the console while the API fails', () => {
  let running;
  let browser;
  let driver;
  let partner;
  /** The windows for actions, and others for lists: a window shows what it has loaded before. */
  const pages = {};
  const readers = {};

  beforeAll(async () => {
    running = await startTestStack();
    browser = await TestBrowser.start();
    driver = new ConsoleDriver(running.stack, browser);
    partner = await driver.partner();
    await driver.sell(partner);
  });
  beforeAll(async () => {
    for (const open of [pages, readers]) {
      open['a manager'] = await driver.signIn('Mia Manager', '/nothing');
      open['support'] = await driver.signIn('Sam Support', '/nothing');
      open['a partner'] = await driver.openPortal(partner);
    }
  });
  afterAll(async () => {
    await browser?.stop();
    await running?.stop();
  });

  /** Leaves the previous screen with its dialogs. */
  const leave = async (page) => {
    await driver.goTo(page, '/nothing');
    await page.getByText('This page does not exist.').waitFor();
  };

  it.each(ACTIONS)(
    'shows why it failed, keeps the input, and then does it once, when $who $title',
    async ({ who, call, fill }) => {
      const page = pages[who];
      await leave(page);
      const action = await fill(page, { driver, partner });
      await withFaults({ driver, page, isPartner: who === 'a partner' }, { call, ...action });
    },
  );

  it.each(LISTS)('shows why $at did not load until a retry succeeds', async ({ who, at, path }) => {
    const page = readers[who];
    await withListFaults({ driver, page, path }, () => driver.goTo(page, at.replace('{partner}', partner.id)));
  });

  it('has left no token and no portal code in storage, an address, the console of the browser or a log', async () => {
    for (const page of [...Object.values(pages), ...Object.values(readers)]) await driver.close(page);
    expect(driver.leaksIn(running.home)).toEqual([]);
  });

  it('has caused no violation of the policy and no script error', () => {
    expect(driver.complaints).toEqual([]);
  });
});
