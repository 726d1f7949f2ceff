import { requestJson } from '../../stack/http.mjs';
import { confirm, MANAGER, press, text } from './pages.mjs';

/** The addresses at which the sandbox's provider begins a sign-in. */
const AUTHORIZATION = '**/issuer/service/auth?*';

/** Opens a manager's window whose session ends and cannot be renewed, while the list of partners loads. */
async function expire(world) {
  const page = await world.driver.signIn(MANAGER, '/partners');
  await page.route('**/issuer/service/token', (route) =>
    route.fulfill({ status: 400, json: { error: 'invalid_grant' } }),
  );
  let refused = false;
  await page.route('**/admin/partners?*', (route) => {
    if (refused) return route.continue();
    refused = true;
    return route.fulfill({ status: 401, json: {} });
  });
  await page.getByRole('textbox', { name: 'Part of the name' }).fill('Corner');
  await text(page, 'Your session has ended');
  await page.unroute('**/issuer/service/token');
  return page;
}

/** Signs in again in a separate window, which the provider needs no input for, and waits until the window closes. */
async function signInAgain(page) {
  // The window can close before the click returns, so the wait for its end begins before the click.
  const closed = page.waitForEvent('popup').then((popup) => popup.isClosed() || popup.waitForEvent('close'));
  await Promise.all([closed, press(page, 'Sign in again')]);
}

/** Tests the screens of a manager. @param {any} world  the driver, a partner, the oid of one of its sales, and a manager's window */
export function managerStories(world) {
  describe('for a manager', () => {
    it('shows the sales of a partner as the statistics count them, and shows markup in names as text', async () => {
      await world.driver.goTo(world.manager, `/partners/${world.partner.id}`);
      await world.manager.getByRole('heading', { name: world.partner.name }).waitFor();
      expect(await world.manager.locator('h1 b').count()).toBe(0);
      const today = new Date().toISOString().slice(0, 10);
      const { totals } = await world.driver.manage(
        'GET',
        `/admin/statistics?partnerId=${world.partner.id}&from=${today}&to=${today}`,
      );
      const shown = new Intl.NumberFormat('en-US', { style: 'currency', currency: totals[0].currency });
      await text(world.manager, `1 sale, ${shown.format(totals[0].amount)}`);
      expect(totals[0].netAmount).toBe(totals[0].amount);
      expect(await world.manager.getByText(/^Net /).count()).toBe(0);
    });

    it('adds a partner with a promotion and a token, which is shown once', async () => {
      await world.driver.goTo(world.manager, '/partners');
      await press(world.manager, 'Add a partner');
      await confirm(world.manager, 'Add a partner');
      await text(world.manager, 'Enter a name.');
      await world.manager.getByRole('textbox', { name: 'Name', exact: false }).last().fill('A new shop');
      await confirm(world.manager, 'Add a partner');
      await world.manager.getByRole('heading', { name: 'A new shop' }).waitFor();
      await world.manager.getByRole('tab', { name: 'Promotions' }).click();
      await press(world.manager, 'Add a promotion');
      await world.manager.getByRole('textbox', { name: 'Code' }).fill(world.partner.code);
      await confirm(world.manager, 'Add a promotion');
      // The API refuses a code that is in use, and the dialog stays open.
      await world.manager.getByRole('dialog').getByText('Another promotion has this code').waitFor();
      expect(await world.manager.getByText('Something went wrong').count()).toBe(0);
      await world.manager.getByRole('textbox', { name: 'Code' }).fill(`NEW${Date.now()}`);
      // A discount out of range is refused, not replaced by the largest possible discount.
      const percent = world.manager.getByRole('dialog').getByRole('textbox', { name: /^Percent/ });
      await percent.fill('150');
      await confirm(world.manager, 'Add a promotion');
      await world.manager.getByRole('dialog').getByText('Must be').waitFor();
      expect(await percent.inputValue()).toBe('150');
      await percent.fill('10');
      await confirm(world.manager, 'Add a promotion');
      await world.manager.getByRole('cell', { name: '10%' }).waitFor();
      await world.manager.getByRole('tab', { name: 'Tokens' }).click();
      await press(world.manager, 'Issue a token');
      await text(world.manager, 'Revoke a sale within the revocation period');
      await confirm(world.manager, 'Issue a token');
      const token = await world.manager.getByRole('dialog', { name: 'The live token' }).locator('code').textContent();
      expect(token).toMatch(/^ptk_live_[0-9A-Za-z]{38}$/);
      await world.manager
        .getByRole('dialog', { name: 'The live token' })
        .getByRole('button', { name: 'Close' })
        .click();
      await world.manager.getByRole('cell', { name: token.slice(-4) }).waitFor();
      expect(await world.manager.content()).not.toContain(token);
    });

    it('asks for no revocation period of a voucher partner, and says before the deactivation that no token is valid', async () => {
      await world.driver.goTo(world.manager, '/partners');
      await press(world.manager, 'Add a partner');
      const dialog = world.manager.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Revocation period' }).waitFor();
      await dialog.getByText('Voucher', { exact: true }).click();
      await dialog.getByRole('textbox', { name: 'Revocation period' }).waitFor({ state: 'detached' });
      await dialog.getByText('The partner creates coupons from the voucher groups that you add.').waitFor();
      await dialog.getByRole('textbox', { name: 'Name' }).fill('A new voucher shop');
      await confirm(world.manager, 'Add a partner');
      await world.manager.getByRole('heading', { name: 'A new voucher shop' }).waitFor();
      await world.manager.getByRole('tab', { name: 'Settings' }).click();
      await press(world.manager, 'Deactivate the partner');
      await text(world.manager, 'The partner has no valid token');
      await world.manager.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    });

    it('adds a voucher group, and shows the errors of the API next to the fields', async () => {
      const { id } = await world.driver.manage('POST', '/admin/partners', { name: 'A voucher shop', kind: 'voucher' });
      await world.driver.goTo(world.manager, `/partners/${id}?tab=vouchers`);
      await text(world.manager, 'No voucher groups');
      await press(world.manager.getByRole('tabpanel'), 'Add a voucher group');
      const dialog = world.manager.getByRole('dialog');
      await confirm(world.manager, 'Add a voucher group');
      await dialog.getByText('Enter a name.').waitFor();
      await dialog.getByText('Enter a product.').waitFor();
      await dialog
        .locator(':focus')
        .and(dialog.getByRole('textbox', { name: 'Name of the group' }))
        .waitFor();
      await dialog.getByRole('textbox', { name: 'Name of the group' }).fill('Spring campaign');
      await dialog.getByRole('textbox', { name: 'Product', exact: true }).fill('Advanced, 1 year');
      await dialog.getByRole('textbox', { name: 'Tier of the product' }).fill('advanced');
      await dialog.getByRole('textbox', { name: 'Currency' }).fill('eur');
      await dialog.getByRole('textbox', { name: 'Total number of coupons' }).fill('250');
      await dialog.getByLabel('Last day').fill('2020-01-01');
      await confirm(world.manager, 'Add a voucher group');
      await dialog.getByText('The last day must not be before the first day.').waitFor();
      expect(await world.manager.getByText('Something went wrong').count()).toBe(0);
      await dialog.getByLabel('Last day').fill('2100-12-31');
      await confirm(world.manager, 'Add a voucher group');
      await world.manager.getByRole('row', { name: 'Spring campaign Advanced, 1 year, 12 months Live' }).waitFor();
      const { items } = await world.driver.manage('GET', `/admin/partners/${id}/voucher-groups`);
      const product = { name: 'Advanced, 1 year', tier: 'advanced', periodMonths: 12 };
      expect(items).toMatchObject([
        { name: 'Spring campaign', product, currency: 'EUR', stock: 250, status: 'active' },
      ]);
      expect(Date.parse(items[0].validUntil)).toBeGreaterThan(Date.parse('2100-12-31'));
    });

    it('refuses an incomplete date and a year of five digits, which would give a voucher group no end', async () => {
      const { id } = await world.driver.manage('POST', '/admin/partners', { name: 'A voucher shop', kind: 'voucher' });
      const groups = async () => (await world.driver.manage('GET', `/admin/partners/${id}/voucher-groups`)).items;
      await world.driver.goTo(world.manager, `/partners/${id}?tab=vouchers`);
      await text(world.manager, 'No voucher groups');
      await press(world.manager.getByRole('tabpanel'), 'Add a voucher group');
      const dialog = world.manager.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Name of the group' }).fill('Summer campaign');
      await dialog.getByRole('textbox', { name: 'Product', exact: true }).fill('Advanced, 1 year');
      const lastDay = dialog.getByLabel('Last day');
      const invalid = dialog.getByText('Enter a complete date from 2000 to 9998, or clear the field.');
      await lastDay.press('1');
      expect(await lastDay.evaluate(({ value, validity }) => [value, validity.badInput])).toEqual(['', true]);
      await confirm(world.manager, 'Add a voucher group');
      await invalid.waitFor();
      await lastDay.fill('2100-12-31');
      await invalid.waitFor({ state: 'detached' });
      await lastDay.fill('21001-12-31');
      await confirm(world.manager, 'Add a voucher group');
      await invalid.waitFor();
      expect(await groups()).toEqual([]);
      await lastDay.fill('2100-12-31');
      await confirm(world.manager, 'Add a voucher group');
      await world.manager.getByRole('row', { name: 'Summer campaign' }).waitFor();
      expect((await groups()).map(({ validUntil }) => new Date(validUntil).getFullYear())).toEqual([2101]);
    });

    it('shows that a person has opened a portal link, without a reload', async () => {
      const { id } = await world.driver.partner('A shop with a link');
      const url = await world.driver.portalLink({ id });
      await world.driver.goTo(world.manager, `/partners/${id}?tab=links`);
      await text(world.manager, 'Not opened yet');
      expect(await world.manager.getByRole('cell', { name: '–', exact: true }).count()).toBe(0);
      const page = await world.driver.open(url);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await world.manager.getByRole('cell', { name: 'Opened', exact: true }).waitFor();
      // An opened link has no time until which it can be opened.
      await world.manager.getByRole('cell', { name: '–', exact: true }).waitFor();
      await world.driver.close(page);
    });

    it('names paused endpoints on the overview', async () => {
      // A paused endpoint needs attention only after it has failed for 5 minutes, so the answer of the API is changed here.
      const owner = { partnerId: world.partner.id, partnerName: 'Paused shop', environment: 'live' };
      const pausedEndpoints = { count: 3, items: [{ ...owner, failingSince: '2026-01-01T00:00:00Z' }] };
      await world.manager.route('**/admin/attention', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), pausedEndpoints } });
      });
      await world.driver.goTo(world.manager, '/');
      await text(world.manager, 'The live endpoint of Paused shop keeps failing, so its postbacks are paused');
      await text(world.manager, '2 more live endpoints are paused');
      await world.manager.unroute('**/admin/attention');
    });

    it('states on the overview that the figures are those of the live environment', async () => {
      await world.driver.goTo(world.manager, '/');
      await text(world.manager, 'The figures are those of the live environment.');
    });

    it('replaces a token that has leaked, and shows the new token', async () => {
      const { token, last4 } = await world.driver.manage('POST', `/admin/partners/${world.partner.id}/tokens`, {
        environment: 'live',
      });
      await world.driver.goTo(world.manager, `/partners/${world.partner.id}?tab=tokens`);
      await world.manager.getByRole('row', { name: last4 }).getByRole('button', { name: 'Leaked' }).click();
      await text(world.manager, `Token …${last4}, Live, created`);
      await text(world.manager, 'The token stops working immediately');
      await confirm(world.manager, 'Replace leaked token');
      await text(world.manager, 'It is shown only once');
      const account = await requestJson('GET', `${world.driver.stack.baseUrl}/api/v2/partner/account`, { token });
      expect(account.status).toBe(401);
      await world.manager
        .getByRole('dialog', { name: 'The live token' })
        .getByRole('button', { name: 'Close' })
        .click();
    });

    it('names the portal link that the manager ends', async () => {
      const { id } = await world.driver.partner('A shop with a link');
      await world.driver.manage('POST', `/admin/partners/${id}/portal-links`, { environment: 'test' });
      await world.driver.goTo(world.manager, `/partners/${id}?tab=links`);
      await press(world.manager, 'End the link');
      await text(world.manager, 'Portal link, Test, created');
      await confirm(world.manager, 'End the link');
      await text(world.manager, 'The link was ended.');
    });

    it('stores and removes the contact address of a partner', async () => {
      const { id } = await world.driver.partner('A shop with an owner');
      const stored = async () => (await world.driver.manage('GET', `/admin/partners/${id}`)).contactEmail;
      await world.driver.goTo(world.manager, `/partners/${id}?tab=settings`);
      await world.manager.getByRole('textbox', { name: 'Contact e-mail' }).fill('owner@example.com');
      await press(world.manager, 'Save');
      await world.manager.getByRole('checkbox', { name: 'Remove the stored address' }).check();
      expect(await stored()).toBe('owner@example.com');
      await press(world.manager, 'Save');
      await world.driver.eventually(async () => (await stored()) === null);
      await world.manager.getByRole('checkbox', { name: 'Remove the stored address' }).waitFor({ state: 'detached' });
      expect(await world.manager.getByRole('textbox', { name: 'Contact e-mail' }).isEnabled()).toBe(true);
    });

    it('saves only the settings that the manager has changed, and keeps what another manager has changed meanwhile', async () => {
      const { id } = await world.driver.partner('A shop with two managers');
      const path = `/admin/partners/${id}`;
      let saves = 0;
      const count = (request) => (saves += request.method() === 'PATCH' ? 1 : 0);
      world.manager.on('request', count);
      await world.driver.goTo(world.manager, `/partners/${id}?tab=settings`);
      await world.manager.getByRole('textbox', { name: 'Revocation period' }).fill('10');
      await world.driver.manage('PATCH', path, { name: 'A renamed shop', endpointLimits: { concurrency: 3 } });
      const isPatch = (response) => response.request().method() === 'PATCH';
      await Promise.all([world.manager.waitForResponse(isPatch), press(world.manager, 'Save')]);
      expect(await world.driver.manage('GET', path)).toMatchObject({
        ...{ name: 'A renamed shop', revokeWindowDays: 10, endpointLimits: { concurrency: 3 } },
      });
      const name = world.manager.getByRole('textbox', { name: 'Name', exact: true });
      await world.driver.eventually(async () => (await name.inputValue()) === 'A renamed shop');
      await press(world.manager, 'Save');
      await text(world.manager, 'You have changed nothing');
      expect(saves).toBe(1);
      world.manager.off('request', count);
    });

    it('releases a held sale with a note, after which the story of the sale shows its postback', async () => {
      const held = await world.driver.sell(world.partner, { email: 'someone@yopmail.com' });
      await world.driver.goTo(world.manager, '/held');
      await world.manager.getByRole('checkbox', { name: held }).check();
      await text(world.manager, 'Domain: yopmail.com');
      await press(world.manager, 'Release 1 sale');
      await world.manager.getByRole('dialog').getByText(`Sale ${held}, reference order-1`).waitFor();
      await world.manager.getByRole('textbox', { name: 'Note' }).fill('case 7');
      await confirm(world.manager, 'Release 1 sale');
      await text(world.manager, '1 sale was released.');
      await world.driver.goTo(world.manager, `/sales/${held}`);
      await text(world.manager, 'case 7');
      await text(world.manager, 'Attempt 1');
      await world.driver.goTo(world.manager, `/audit?entityId=${held}`);
      await world.manager.getByRole('cell', { name: 'sale.released' }).waitFor();
    });

    it('asks the manager to sign in again in a separate window when the session cannot be renewed', async () => {
      const page = await expire(world);
      await signInAgain(page);
      await page.getByRole('link', { name: world.partner.name }).waitFor();
      await world.driver.close(page);
    });

    it('opens another window when the manager has closed the window of the sign-in, or left it open', async () => {
      const page = await expire(world);
      const context = page.context();
      await context.route(AUTHORIZATION, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Who</h1>' }));
      const open = async () => {
        const [popup] = await Promise.all([page.waitForEvent('popup'), press(page, 'Sign in again')]);
        await popup.getByRole('heading', { name: 'Who' }).waitFor();
        return popup;
      };
      await (await open()).close();
      const left = await open();
      await Promise.all([left.waitForEvent('close'), open()]);
      expect(await page.getByText('Something went wrong').count()).toBe(0);
      await context.unroute(AUTHORIZATION);
      await signInAgain(page);
      await page.getByRole('link', { name: world.partner.name }).waitFor();
      await world.driver.close(page);
    });

    it('signs in again in a window that the provider has separated from its opener', async () => {
      const page = await expire(world);
      // As after a page of the provider with the header Cross-Origin-Opener-Policy: same-origin.
      await page.context().addInitScript(() => {
        if (location.pathname.endsWith('/signed-in')) window.opener = null;
      });
      await signInAgain(page);
      await page.getByRole('link', { name: world.partner.name }).waitFor();
      await world.driver.close(page);
    });

    it('signs in in a tab that another page has opened', async () => {
      const other = await world.driver.open('/nothing');
      const opened = other.waitForEvent('popup');
      await other.evaluate((url) => void window.open(url), `${world.driver.url}/partners`);
      const tab = await opened;
      await press(tab, 'Sign in');
      await tab.getByRole('link', { name: MANAGER }).click();
      await tab.getByRole('button', { name: 'Sign out' }).waitFor();
      await world.driver.close(other);
    });
  });
}
