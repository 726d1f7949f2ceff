import { createRequire } from 'node:module';
import { ACTIONS } from './console-actions.mjs';
import { ConsoleDriver } from './console-driver.mjs';
import { withFaults, withListFaults } from './console-faults.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const load = createRequire(import.meta.url);
const { describeInBrowser, TestBrowser } = load('@tandem/testing');

/**
 * The lists of the console: the person who reads the list, the path of the screen, and the path of the API that returns the rows.
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

/** The number of windows in which each person's lists are tested concurrently. This saves time, because a page mostly waits for a retry. */
const WINDOWS = { 'a manager': 3, support: 1, 'a partner': 2 };

describeInBrowser('the console while the API fails', () => {
  let running;
  let browser;
  let driver;
  let partner;
  /** The windows for actions. Lists are tested in new windows, because a window shows cached rows. */
  const pages = {};
  /** The failure of each list's test, by the path of the screen; undefined when the test has passed. */
  const lists = new Map();

  const windowOf = {
    'a manager': () => driver.signIn('Mia Manager', '/nothing'),
    support: () => driver.signIn('Sam Support', '/nothing'),
    'a partner': () => driver.openPortal(partner),
  };

  beforeAll(async () => {
    [running, browser] = await Promise.all([startTestStack(), TestBrowser.start()]);
    driver = new ConsoleDriver(running.stack, browser);
    partner = await driver.partner();
    await driver.sell(partner);
  });
  beforeAll(async () => {
    const opened = Object.entries(windowOf).map(async ([who, open]) => [who, await open()]);
    Object.assign(pages, Object.fromEntries(await Promise.all(opened)));
  });
  afterAll(async () => {
    await browser?.stop();
    await running?.stop();
  });

  /** Leaves the previous screen, which also closes its dialogs. */
  const leave = async (page) => {
    await driver.goTo(page, '/nothing');
    await page.getByText('This page does not exist.').waitFor();
  };

  it.each(ACTIONS)(
    'shows each failure, keeps the input, and performs the action only once, when $who $title',
    async ({ who, call, fill }) => {
      const page = pages[who];
      await leave(page);
      const action = await fill(page, { driver, partner });
      await withFaults({ driver, page, isPartner: who === 'a partner' }, { call, ...action });
    },
  );

  describe('in a list', () => {
    beforeAll(async () => {
      await Promise.all(
        Object.entries(WINDOWS).flatMap(([who, count]) =>
          Array.from({ length: count }, async (_, number) => {
            const page = await windowOf[who]();
            const own = LISTS.filter((list) => list.who === who).filter((_list, index) => index % count === number);
            for (const { at, path } of own) {
              // Each list has its own partner, because the page of a partner keeps the data that an earlier list of this partner has loaded.
              const { id } = at.includes('{partner}') ? await driver.partner() : partner;
              const open = () => driver.goTo(page, at.replace('{partner}', id));
              const failure = await withListFaults({ driver, page, path }, open).catch((error) => error);
              lists.set(at, { failure });
            }
            await driver.close(page);
          }),
        ),
      );
    });

    it.each(LISTS)('shows why the rows of $at did not load, until a retry succeeds', ({ at }) => {
      expect(lists.get(at)).toEqual({ failure: undefined });
    });
  });

  it('leaves no token and no portal code in browser storage, a URL, the browser’s console or a log', async () => {
    for (const page of Object.values(pages)) await driver.close(page);
    expect(driver.leaksIn(running.home)).toEqual([]);
  });

  it('causes no violation of the Content-Security-Policy and no script error', () => {
    expect(driver.complaints).toEqual([]);
  });
});
