import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { requestJson } from '../stack/http.mjs';
import { ConsoleDriver } from './console-driver.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const load = createRequire(import.meta.url);
const { describeInBrowser, problemsOf, TestBrowser } = load('@tandem/testing');

const MANAGER = 'Mia Manager';
const SUPPORT = 'Sam Support';
const NARROW = { width: 360, colorScheme: 'dark' };
const WIDE = { width: 1280, colorScheme: 'light' };

describeInBrowser('the console', () => {
  let running;
  let browser;
  let driver;
  let manager;
  let partner;
  let oid;

  beforeAll(async () => {
    running = await startTestStack();
    browser = await TestBrowser.start();
    driver = new ConsoleDriver(running.stack, browser);
    partner = await driver.partner('Corner <b>shop</b>');
    oid = await driver.sell(partner, { data4: '<i>order</i>-1' });
    manager = await driver.signIn(MANAGER, '/partners');
  });
  afterAll(async () => {
    await browser?.stop();
    await running?.stop();
  });

  const text = (page, words) => page.getByText(words, { exact: false }).first().waitFor();
  const press = (page, name) => page.getByRole('button', { name, exact: true }).first().click();
  const confirm = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  describe('for a manager', () => {
    it('shows what was sold, as the statistics count it, and shows markup from outside as text', async () => {
      await driver.goTo(manager, `/partners/${partner.id}`);
      await manager.getByRole('heading', { name: partner.name }).waitFor();
      expect(await manager.locator('h1 b').count()).toBe(0);
      await manager.getByText('1 sale', { exact: true }).first().waitFor();
      const today = new Date().toISOString().slice(0, 10);
      const { totals } = await driver.manage(
        'GET',
        `/admin/statistics?partnerId=${partner.id}&from=${today}&to=${today}`,
      );
      const shown = new Intl.NumberFormat('en-US', { style: 'currency', currency: totals[0].currency });
      await text(manager, shown.format(totals[0].netAmount));
    });

    it('adds a partner with a promotion and a token, which is shown once', async () => {
      await driver.goTo(manager, '/partners');
      await press(manager, 'Add a partner');
      await confirm(manager, 'Add a partner');
      await text(manager, 'Enter a name.');
      await manager.getByRole('textbox', { name: 'Name', exact: false }).last().fill('A new shop');
      await confirm(manager, 'Add a partner');
      await manager.getByRole('heading', { name: 'A new shop' }).waitFor();
      await manager.getByRole('tab', { name: 'Promotions' }).click();
      await press(manager, 'Add a promotion');
      await manager.getByRole('textbox', { name: 'Code' }).fill(partner.code);
      await confirm(manager, 'Add a promotion');
      // The API refuses the request; the typed text stays.
      await manager.getByRole('alert').waitFor();
      await manager.getByRole('textbox', { name: 'Code' }).fill(`NEW${Date.now()}`);
      await confirm(manager, 'Add a promotion');
      await manager.getByRole('cell', { name: '10 %' }).waitFor();
      await manager.getByRole('tab', { name: 'Tokens' }).click();
      await press(manager, 'Issue a token');
      await confirm(manager, 'Issue a token');
      const token = await manager.getByRole('dialog', { name: 'The token' }).locator('code').textContent();
      expect(token).toMatch(/^ptk_test_[0-9A-Za-z]{38}$/);
      await manager.getByRole('dialog', { name: 'The token' }).getByRole('button', { name: 'Close' }).click();
      await manager.getByRole('cell', { name: token.slice(-4) }).waitFor();
      expect(await manager.content()).not.toContain(token);
    });

    it('replaces a token that has leaked, and shows its successor', async () => {
      const { token, last4 } = await driver.manage('POST', `/admin/partners/${partner.id}/tokens`, {
        environment: 'live',
      });
      await driver.goTo(manager, `/partners/${partner.id}?tab=tokens`);
      await manager.getByRole('row', { name: last4 }).getByRole('button', { name: 'It has leaked' }).click();
      await text(manager, 'The token stops working immediately');
      await confirm(manager, 'It has leaked');
      await text(manager, 'It is shown only once');
      const account = await requestJson('GET', `${driver.stack.baseUrl}/api/v2/partner/account`, { token });
      expect(account.status).toBe(401);
      await manager.getByRole('dialog', { name: 'The token' }).getByRole('button', { name: 'Close' }).click();
    });

    it('releases a held sale with a note; the story of the sale then has its postback', async () => {
      const held = await driver.sell(partner, { email: 'someone@yopmail.com' });
      await driver.goTo(manager, '/held');
      await manager.getByRole('checkbox', { name: held }).check();
      await text(manager, 'Domain: yopmail.com');
      await press(manager, 'Release 1 sale');
      await manager.getByRole('textbox', { name: 'Note' }).fill('case 7');
      await confirm(manager, 'Release 1 sale');
      await text(manager, '1 decided.');
      await driver.goTo(manager, `/sales/${held}`);
      await text(manager, 'case 7');
      await text(manager, 'Attempt 1');
      await driver.goTo(manager, `/audit?entityId=${held}`);
      await manager.getByRole('cell', { name: 'sale.released' }).waitFor();
    });

    it('shows markup in the answers of an endpoint as text', async () => {
      const answer = '<img src="/x" onerror="throw 1"><b>bold</b>';
      const endpoint = createServer((_, response) =>
        response.writeHead(400, { 'content-type': 'text/html' }).end(answer),
      );
      await once(endpoint.listen(0, '127.0.0.1'), 'listening');
      endpoint.unref();
      const hostile = await driver.partner('A hostile shop');
      await driver.setEndpoint(
        hostile,
        `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (endpoint.address()).port}/`,
      );
      const sold = await driver.sell(hostile);
      await driver.eventually(async () => {
        const { items } = await driver.manage('GET', `/admin/partners/${hostile.id}/deliveries?oid=${sold}`);
        return items[0]?.attempts.length > 0;
      });
      await driver.goTo(manager, `/partners/${hostile.id}?tab=deliveries&oid=${sold}`);
      await manager.getByRole('row', { name: sold }).getByRole('button', { name: 'Attempts' }).click();
      await manager.getByRole('dialog').getByText(answer, { exact: true }).waitFor();
      expect(await manager.locator('img, td b, code b').count()).toBe(0);
      await manager.keyboard.press('Escape');
      const page = await driver.openPortal(hostile);
      await driver.goTo(page, '/my/endpoint');
      await press(page, 'Send a test');
      await confirm(page, 'Send a test');
      await page.getByText(answer, { exact: true }).waitFor();
      expect(await page.locator('img, code b').count()).toBe(0);
      await driver.close(page);
    });

    it('finds a postback that fails, and sends it again', async () => {
      await driver.behave(partner, { status: 400 });
      const failed = await driver.sell(partner, { data4: 'order-failed' });
      await driver.eventually(async () => {
        const { items } = await driver.manage('GET', `/admin/partners/${partner.id}/deliveries?oid=${failed}`);
        return items[0]?.attempts.length > 0;
      });
      await driver.behave(partner, { status: 200 });
      await driver.goTo(manager, `/partners/${partner.id}?tab=deliveries&oid=${failed}`);
      await manager.getByRole('cell', { name: '400' }).waitFor();
      await press(manager, 'Send again');
      await confirm(manager, 'Send again');
      await manager.getByRole('row', { name: failed }).getByText('Delivered').waitFor();
    });

    it('requests a new sign-in in a separate window when the session cannot be renewed', async () => {
      const page = await driver.signIn(MANAGER, '/partners');
      await page.route('**/issuer/service/token', (route) =>
        route.fulfill({ status: 400, json: { error: 'invalid_grant' } }),
      );
      let refused = false;
      await page.route('**/admin/partners?*', (route) => {
        if (refused) return route.continue();
        refused = true;
        return route.fulfill({ status: 401, json: {} });
      });
      await page.getByRole('textbox', { name: 'Name, id' }).fill('Corner');
      await text(page, 'Your session has ended');
      await page.unroute('**/issuer/service/token');
      const [popup] = await Promise.all([page.waitForEvent('popup'), press(page, 'Sign in again')]);
      await popup.waitForEvent('close');
      await page.getByRole('link', { name: partner.name }).waitFor();
      await driver.close(page);
    });
  });

  describe('for a partner', () => {
    it('opens by a link only once, and stores the code nowhere', async () => {
      const url = await driver.portalLink(partner);
      const code = url.split('#')[1];
      const page = await driver.open(url);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(page.url()).not.toContain(code);
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
      );
      expect(kept).not.toMatch(/ptk_|eyJ/);
      expect(kept).not.toContain(code);
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const again = await driver.open(url);
        await text(again, 'This link cannot be opened');
        await driver.close(again);
      }
      await driver.close(page);
    });

    it('shows its own sales, exports them, and nothing of another partner', async () => {
      const other = await driver.partner('Another shop');
      const foreign = await driver.sell(other);
      const page = await driver.openPortal(partner);
      await driver.goTo(page, '/my/sales');
      await page.getByRole('link', { name: oid }).waitFor();
      expect(await page.locator('td i').count()).toBe(0);
      expect(await page.content()).not.toContain(foreign);
      const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export as CSV')]);
      expect(file.suggestedFilename()).toBe('sales.csv');
      await driver.goTo(page, `/my/sales/${foreign}`);
      await page.getByRole('alert').waitFor();
      await driver.close(page);
    });

    it('tests its endpoint, creates a checkout URL, and revokes a sale', async () => {
      const page = await driver.openPortal(partner);
      await driver.goTo(page, '/my/endpoint');
      await press(page, 'Send a test');
      await confirm(page, 'Send a test');
      await text(page, 'The endpoint answered 200');
      await driver.goTo(page, '/my/checkout');
      await page.getByRole('textbox', { name: 'Your reference' }).fill('order-9');
      await press(page, 'Create the URL');
      await text(page, '20 % off');
      const sold = await driver.sell(partner);
      await driver.goTo(page, `/my/sales/${sold}`);
      await press(page, 'Revoke the sale');
      await confirm(page, 'Revoke the sale');
      await page.getByText('Revoked', { exact: true }).first().waitFor();
      await driver.close(page);
    });

    it('has no actions with a read-only link, and ends the session on sign-out', async () => {
      const page = await driver.openPortal(partner, { readOnly: true });
      await driver.goTo(page, '/my/endpoint');
      await text(page, partner.inbox);
      expect(await page.getByRole('button', { name: 'Change the endpoint' }).count()).toBe(0);
      const [ended] = await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/portal-session')),
        press(page, 'Sign out'),
      ]);
      expect([ended.request().method(), ended.status()]).toEqual(['DELETE', 204]);
      await text(page, 'You need no account');
      await driver.close(page);
    });
  });

  describe('for support', () => {
    const EMAIL = `Jane.${Date.now()}@example.com`;

    it('finds a user by e-mail address, which no URL and no screen of the user contains', async () => {
      const { krn } = driver.stack.users.b;
      await driver.support('PATCH', krn, { ssn: '6789', emailAddress: EMAIL });
      const page = await driver.signIn(SUPPORT, '/');
      const urls = [];
      page.on('request', (request) => urls.push(request.url()));
      await page.getByRole('combobox', { name: 'Find by' }).selectOption('E-mail address');
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('nobody@example.com');
      await press(page, 'Show the user');
      await text(page, 'No user was found.');
      await page.getByRole('textbox', { name: 'E-mail address' }).fill(EMAIL.toLowerCase());
      await press(page, 'Show the user');
      await page.getByText(krn, { exact: true }).first().waitFor();
      await text(page, 'Locked out?');
      await page.getByRole('table').last().waitFor();
      expect(urls.filter((url) => /jane|example\.com/i.test(url))).toEqual([]);
      expect((await page.content()).toLowerCase()).not.toContain(EMAIL.toLowerCase());
      await driver.close(page);
    });

    it('finds a user by the id of a subscription', async () => {
      const { krn } = driver.stack.users.b;
      const { user } = await driver.support('GET', krn, undefined, '/story');
      const page = await driver.signIn(SUPPORT, '/');
      await page.getByRole('combobox', { name: 'Find by' }).selectOption('Subscription');
      await page.getByRole('textbox', { name: 'Subscription' }).fill(user.subscriptions[0].id);
      await press(page, 'Show the user');
      await page.getByText(krn, { exact: true }).first().waitFor();
      await driver.close(page);
    });

    it('shows a user without personal data, unlocks and erases it with a reason, and shows the trail and the receipt', async () => {
      const { krn } = driver.stack.users.b;
      const page = await driver.signIn(SUPPORT, '/');
      await page.getByRole('textbox', { name: 'KRN' }).fill('nonsense');
      await press(page, 'Show the user');
      await text(page, 'A KRN looks like');
      await page.getByRole('textbox', { name: 'KRN' }).fill(krn);
      await press(page, 'Show the user');
      await text(page, 'Locked out?');
      await press(page, 'Unlock the user');
      await confirm(page, 'Unlock the user');
      await text(page, 'Enter a reason.');
      await page.getByRole('textbox', { name: 'Reason' }).fill('case 8');
      await confirm(page, 'Unlock the user');
      await text(page, 'The user is unlocked.');
      const trail = page.getByRole('region', { name: 'Trail of the user' });
      await trail.getByRole('row', { name: 'user.unlock case 8 Done' }).waitFor();
      await press(page, 'Erase the user');
      await page.getByRole('textbox', { name: 'Reason' }).fill('case 9');
      await confirm(page, 'Erase the user');
      await text(page, 'This is not the KRN of the user.');
      await page.getByRole('textbox', { name: 'Enter the KRN to confirm' }).fill(krn);
      await confirm(page, 'Erase the user');
      await text(page, `Erased ${krn} at`);
      await page.getByRole('region', { name: 'Receipts of erasure' }).getByRole('cell', { name: 'case 9' }).waitFor();
      await trail.getByRole('row', { name: 'user.delete case 9 Done' }).waitFor();
      await driver.close(page);
    });

    it('lists the actions of support by person, by action and by day', async () => {
      const { krn } = driver.stack.users.a;
      await driver.support('POST', krn, undefined, '/enrollment-sync').catch(() => undefined);
      const page = await driver.signIn(SUPPORT, '/');
      await page.getByRole('link', { name: 'Support audit' }).click();
      const list = page.getByRole('region', { name: 'Support audit' });
      await list.getByRole('cell', { name: 'user.sync' }).first().waitFor();
      await page.getByRole('combobox', { name: 'Action' }).selectOption('Synchronize');
      await list.getByRole('cell', { name: 'audit.read' }).first().waitFor({ state: 'detached' });
      await list.getByRole('link', { name: krn }).first().waitFor();
      await page.getByRole('textbox', { name: 'Who (subject)' }).fill('nobody');
      await text(page, 'No actions');
      await press(page, 'Clear the filters');
      await page.getByLabel('To', { exact: true }).fill('2020-01-01');
      await text(page, 'No actions');
      await driver.close(page);
    });

    it('shows nothing to a user without rights, and names who grants them', async () => {
      const page = await driver.signIn('Nora Newcomer');
      await text(page, 'You have no rights here yet');
      await driver.goTo(page, '/sales').catch(() => undefined);
      await text(page, 'partner:manage');
      await driver.close(page);
    });
  });

  describe('for a manager who decides applications', () => {
    const apply = async (companyName) => {
      const body = {
        companyName,
        email: `owner-${Date.now()}@example.com`,
        kind: 'promotion',
        message: '<b>Hello</b>',
      };
      const url = `${driver.stack.baseUrl}/api/v2/partner-applications`;
      const { status } = await requestJson('POST', url, { body });
      expect(status).toBe(202);
    };

    it('shows an application on the overview, and a partner after its approval', async () => {
      const company = `Applied ${Date.now()}`;
      await apply(company);
      await driver.goTo(manager, '/overview');
      await text(manager, '1 application waits for a decision');
      await manager.getByRole('link', { name: '1 application waits for a decision' }).click();
      await text(manager, '<b>Hello</b>');
      await press(manager, 'Approve');
      await manager.getByRole('dialog', { name: `Approve the application of ${company}` }).waitFor();
      await confirm(manager, 'Approve');
      // The title of the dialog contains the name too.
      await manager.getByRole('heading', { name: company, exact: true }).waitFor();
      await driver.goTo(manager, '/partners');
      await manager.getByRole('link', { name: company }).waitFor();
    });

    it('rejects an application with a note', async () => {
      await apply(`Rejected ${Date.now()}`);
      // A new window is opened, because a window that has shown the list shows new applications only later.
      const page = await driver.signIn(MANAGER, '/applications?status=pending');
      await press(page, 'Reject');
      await page.getByRole('textbox', { name: 'Note' }).fill('No website');
      await confirm(page, 'Reject');
      await text(page, 'No applications');
      await driver.goTo(page, '/applications?status=rejected');
      await text(page, 'No website');
      await driver.close(page);
    });
  });

  describe('is accessible', () => {
    const SCREENS = [
      '/overview',
      '/sales',
      '/held',
      '/partners',
      '/applications',
      '/audit',
      '/support',
      '/support-audit',
      '/nothing',
    ];
    const TABS = ['figures', 'sales', 'promotions', 'tokens', 'endpoint', 'deliveries', 'links', 'settings', 'audit'];
    const OF_PARTNER = ['/my/overview', '/my/sales', '/my/endpoint', '/my/deliveries', '/my/checkout'];
    const settled = async (page) => {
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      // While a colour fades in, its contrast is too low.
      await page.waitForTimeout(300);
    };

    it.each([WIDE, NARROW])('on every screen of staff, $width px wide, $colorScheme', async (look) => {
      const page = await driver.signIn('Alex Admin', '/', look);
      const tabs = TABS.map((tab) => `/partners/${partner.id}?tab=${tab}`);
      const user = `/support/users/${encodeURIComponent(driver.stack.users.a.krn)}`;
      for (const at of [...SCREENS, user, ...tabs, `/sales/${oid}`]) {
        await driver.goTo(page, at);
        await settled(page);
        expect([at, await problemsOf(page, { scrolls: look.width < WIDE.width })]).toEqual([at, []]);
      }
      await driver.close(page);
    });

    it.each([WIDE, NARROW])('on every screen of a partner, $width px wide, $colorScheme', async (look) => {
      const signInPage = await driver.open('/', look);
      await settled(signInPage);
      expect(await problemsOf(signInPage)).toEqual([]);
      const page = await driver.openPortal(partner, { look });
      for (const at of OF_PARTNER) {
        await driver.goTo(page, at);
        await settled(page);
        expect([at, await problemsOf(page, { scrolls: look.width < WIDE.width })]).toEqual([at, []]);
      }
      await driver.close(page);
      await driver.close(signInPage);
    });

    it('by keyboard only: a partner is found and a portal link is created', async () => {
      const page = await driver.signIn(MANAGER, '/partners');
      await page.locator('body').press('Tab');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
      await driver.focus(page, partner.name);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: partner.name }).waitFor();
      await page.getByRole('tab', { name: 'Figures' }).focus();
      for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name: 'Portal links', selected: true }).waitFor();
      await page.getByRole('button', { name: 'Create a portal link' }).waitFor();
      await driver.focus(page, 'Create a portal link');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await driver.focus(page, 'Create a portal link');
      await page.keyboard.press('Enter');
      await text(page, 'It is shown only once');
      await page.keyboard.press('Escape');
      await text(page, 'Not opened yet');
      await driver.close(page);
    });

    it('by keyboard only: a held sale is released with a note', async () => {
      const held = await driver.sell(partner, { email: `${Date.now()}@yopmail.com` });
      const page = await driver.signIn(MANAGER, '/held');
      await page.getByRole('checkbox', { name: held }).waitFor();
      await driver.focus(page, `Select ${held}`);
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Release 1 sale' }).waitFor();
      await driver.focus(page, 'Release 1 sale', 'Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await driver.focus(page, 'Note');
      await page.keyboard.type('by keyboard');
      await driver.focus(page, 'Release 1 sale');
      await page.keyboard.press('Enter');
      await text(page, '1 decided.');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const { items } = await driver.manage('GET', `/admin/audit?action=sale.released&entityId=${held}`);
      expect(items.map(({ after }) => after.holdNote)).toEqual(['by keyboard']);
      await driver.close(page);
    });
  });

  it('has left no token and no portal code in storage, an address, the console of the browser or a log', async () => {
    await driver.close(manager);
    expect(driver.leaksIn(running.home)).toEqual([]);
  });

  it('has caused no violation of the policy and no script error', () => {
    expect(driver.complaints).toEqual([]);
  });
});
