import { createRequire } from 'node:module';
import { ConsoleDriver } from './console-driver.mjs';
import { accessibilityStories } from './console-stories/accessibility.mjs';
import { applicationStories } from './console-stories/applications.mjs';
import { failingPostbackStories } from './console-stories/failing-postbacks.mjs';
import { lostAnswerStories } from './console-stories/lost-answers.mjs';
import { managerStories } from './console-stories/manager.mjs';
import { managerAuditStories } from './console-stories/manager-audit.mjs';
import { managerDeliveryStories } from './console-stories/manager-deliveries.mjs';
import { managerFigureStories } from './console-stories/manager-figures.mjs';
import { managerListStories } from './console-stories/manager-lists.mjs';
import { managerSignInStories } from './console-stories/manager-sign-in.mjs';
import { managerVoucherStories } from './console-stories/manager-vouchers.mjs';
import { MANAGER } from './console-stories/pages.mjs';
import { partnerDeliveryStories } from './console-stories/partner-deliveries.mjs';
import { partnerSaleStories } from './console-stories/partner-sales.mjs';
import { partnerStories } from './console-stories/partner.mjs';
import { readOnlyStories } from './console-stories/read-only.mjs';
import { supportDataStories } from './console-stories/support-data.mjs';
import { supportStories } from './console-stories/support.mjs';
import { supportAnswerStories } from './console-stories/support-answers.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const { describeInBrowser, TestBrowser } = createRequire(import.meta.url)('@tandem/testing');

// All stories use one stack, because the startup of a stack takes longer than most stories.
describeInBrowser('the console', () => {
  let running;
  let browser;
  /** @type {any} */
  const world = {};

  beforeAll(async () => {
    [running, browser] = await Promise.all([startTestStack(), TestBrowser.start()]);
    const driver = new ConsoleDriver(running.stack, browser);
    const partner = await driver.partner('Corner <b>shop</b>');
    const oid = await driver.sell(partner, { data4: '<i>order</i>-1' });
    Object.assign(world, { driver, partner, oid, manager: await driver.signIn(MANAGER, '/partners') });
  });
  afterAll(async () => {
    await browser?.stop();
    await running?.stop();
  });

  managerStories(world);
  managerAuditStories(world);
  managerDeliveryStories(world);
  managerFigureStories(world);
  managerListStories(world);
  managerVoucherStories(world);
  managerSignInStories(world);
  partnerStories(world);
  partnerDeliveryStories(world);
  failingPostbackStories(world);
  readOnlyStories(world);
  lostAnswerStories(world);
  partnerSaleStories(world);
  // These stories come before the other stories of support, which erase the user.
  supportDataStories(world);
  supportStories(world);
  supportAnswerStories(world);
  applicationStories(world);
  accessibilityStories(world);

  it('leaves no token and no portal code in browser storage, a URL, the browser’s console or a log', async () => {
    await world.driver.close(world.manager);
    expect(world.driver.leaksIn(running.home)).toEqual([]);
  });

  it('causes no violation of the Content-Security-Policy and no script error', () => {
    expect(world.driver.complaints).toEqual([]);
  });
});
