import { requestJson } from '../../stack/http.mjs';
import { changeAnswers, comeBackUntilLoaded, confirm, MANAGER, press, text } from './pages.mjs';

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

    it('shows the figures of a chosen period by week, and those of the last month', async () => {
      const shop = await world.driver.partner('A shop with figures');
      await world.driver.sell(shop);
      await world.driver.sell(shop);
      const page = world.manager;
      await world.driver.goTo(page, `/partners/${shop.id}`);
      await text(page, 'Last month: no sales');
      const figures = page.getByRole('region', { name: 'Figures of a period' });
      await figures.getByRole('combobox', { name: 'Period' }).selectOption('Last 3 months');
      const by = figures.getByRole('combobox', { name: 'Group by' });
      await world.driver.eventually(async () => (await by.inputValue()) === 'week');
      const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
      await figures.getByText(`Days in the time zone ${zone}.`).waitFor();
      await figures.getByText(/^2 sales, /).waitFor();
      await figures.getByRole('button', { name: 'Show the numbers' }).click();
      const monday = new Date();
      monday.setDate(monday.getDate() - ((monday.getDay() + 6) % 7));
      const week = monday.toLocaleDateString('en-US', { dateStyle: 'medium' });
      await figures.getByRole('cell', { name: week }).waitFor();
      // Two rows: the header and one week.
      expect(await figures.getByRole('row').count()).toBe(2);
      expect(await figures.getByRole('cell').nth(1).textContent()).toBe('2');
      // The URL contains the chosen period, so the same URL shows the period again.
      const { pathname, search } = new URL(page.url());
      await world.driver.goTo(page, '/partners');
      await figures.waitFor({ state: 'detached' });
      await world.driver.goTo(page, pathname.replace('/console', '') + search);
      await figures.getByRole('cell', { name: week }).waitFor();
      await figures.getByRole('combobox', { name: 'Period' }).selectOption('Last month');
      await figures.getByText('No sales in this period').waitFor();
      await figures.getByRole('combobox', { name: 'Period' }).selectOption('Other days');
      await figures.getByText('Choose the first and the last day.').waitFor();
      const today = new Date().toLocaleDateString('sv-SE');
      await figures.getByLabel('From').fill(today);
      await figures.getByLabel('To', { exact: true }).fill(today);
      await figures.getByText(/^2 sales, /).waitFor();
    });

    it('ranks the partners of the chosen period by their net amounts, and links to them', async () => {
      const shop = await world.driver.partner('A shop with the most sales');
      for (let count = 0; count < 4; count++) await world.driver.sell(shop);
      const page = world.manager;
      await world.driver.goTo(page, '/overview?period=thisMonth');
      const ranking = page.getByRole('region', { name: 'Partners by net amount' });
      const row = ranking.getByRole('row').filter({ hasText: shop.name });
      await row.getByRole('cell', { name: '4', exact: true }).waitFor();
      await row.getByRole('link', { name: shop.name }).click();
      await page.getByRole('heading', { name: shop.name }).waitFor();
      await world.driver.goTo(page, '/overview?period=lastMonth');
      await text(page, 'No sales in this period');
      expect(await ranking.count()).toBe(0);
    });

    it('adds a partner with a promotion and a token, which is shown once', async () => {
      await world.driver.goTo(world.manager, '/partners');
      await press(world.manager, 'Add a partner');
      await confirm(world.manager, 'Add a partner');
      await text(world.manager, 'Enter a name.');
      await world.manager.getByRole('textbox', { name: 'Name', exact: false }).last().fill('A new shop');
      await confirm(world.manager, 'Add a partner');
      await world.manager.getByRole('heading', { name: 'A new shop' }).waitFor();
      const next = world.manager.getByRole('region', { name: 'Next steps' }).getByRole('listitem');
      await next.filter({ hasText: 'The partner sets up its endpoint' }).waitFor();
      await next.filter({ hasText: 'or issue a token for its programs' }).waitFor();
      await next.getByRole('link', { name: 'Add a promotion' }).waitFor();
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
      await next.filter({ hasText: 'Add a promotion' }).waitFor({ state: 'detached' });
      await world.manager.getByRole('tab', { name: 'Tokens' }).click();
      await press(world.manager, 'Issue a token');
      await text(world.manager, 'Revoke a sale within the revocation period');
      await world.manager.getByLabel('Name').fill('Web shop');
      const rights = world.manager.getByRole('dialog').getByRole('checkbox', { checked: true });
      expect(await rights.count()).toBe(2);
      await world.manager.getByRole('checkbox', { name: 'checkout:create', checked: true }).waitFor();
      await confirm(world.manager, 'Issue a token');
      const token = await world.manager.getByRole('dialog', { name: 'The live token' }).locator('code').textContent();
      expect(token).toMatch(/^ptk_live_[0-9A-Za-z]{38}$/);
      await world.manager
        .getByRole('dialog', { name: 'The live token' })
        .getByRole('button', { name: 'Close' })
        .click();
      await world.manager
        .getByRole('cell', { name: token.slice(-4) })
        .getByText('Web shop')
        .waitFor();
      expect(await world.manager.content()).not.toContain(token);
      await next.filter({ hasText: 'or issue a token' }).waitFor({ state: 'detached' });
      await next.filter({ hasText: 'The partner sets up its endpoint' }).waitFor();
    });

    it('shows that a person has opened a portal link, without a reload', async () => {
      const { id } = await world.driver.partner('A shop with a link');
      const url = await world.driver.portalLink({ id });
      await world.driver.goTo(world.manager, `/partners/${id}?tab=links`);
      await text(world.manager, 'Not opened yet');
      await world.manager.getByText('Can be opened until').waitFor();
      const page = await world.driver.open(url);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const state = world.manager.getByRole('cell', { name: /^Session open Opened .+ Session until / });
      await state.waitFor();
      expect(await state.innerText()).not.toContain('Can be opened until');
      await press(page, 'Sign out');
      await confirm(page, 'Sign out');
      await text(page, 'You are signed out');
      await comeBackUntilLoaded(world.driver, world.manager, /\/portal-links$/);
      await world.manager.getByRole('cell', { name: /^Session ended Opened .+ Session until / }).waitFor();
      await world.driver.close(page);
    });

    it('creates a portal link with a name, and shows the name in the list and before the link is ended', async () => {
      const { id } = await world.driver.partner('A shop with a named link');
      await world.driver.goTo(world.manager, `/partners/${id}?tab=links`);
      await press(world.manager, 'Create a portal link');
      await world.manager.getByLabel('Name').fill('Anna, accounting');
      await confirm(world.manager, 'Create a portal link');
      const once = world.manager.getByRole('dialog', { name: 'The portal link' });
      await once.getByText('Portal link “Anna, accounting”, Live, created').waitFor();
      await once.getByRole('button', { name: 'Close' }).click();
      await world.manager.getByRole('row', { name: 'Anna, accounting' }).getByText('Not opened yet').waitFor();
      await press(world.manager, 'End the link');
      await text(world.manager, 'Portal link “Anna, accounting”, Live, created');
      await confirm(world.manager, 'End the link');
      await world.manager.getByRole('cell', { name: /^Ended Ended by a manager / }).waitFor();
    });

    it('names on the overview the endpoints that do not accept postbacks, with the numbers of their postbacks', async () => {
      const owner = { partnerId: world.partner.id, environment: 'live' };
      let changed = /** @type {object} */ ({
        failingEndpoints: { count: 3, items: [{ ...owner, partnerName: 'Failing shop', failing: 2, pending: 9 }] },
        pausedEndpoints: {
          count: 3,
          items: [{ ...owner, partnerName: 'Paused shop', failingSince: '2026-01-01T00:00:00Z' }],
        },
      });
      const page = await world.driver.signIn(MANAGER, '/partners');
      await changeAnswers(page, '**/admin/attention', (attention) => ({ ...attention, ...changed }));
      await world.driver.goTo(page, '/overview');
      const matter = page.getByRole('listitem').filter({ hasText: 'Failing shop' });
      await matter
        .getByRole('link', {
          name: 'The live endpoint of Failing shop does not accept postbacks: 2 postbacks are failing and will be retried, and 7 more are waiting',
        })
        .waitFor();
      await matter.getByRole('link', { name: 'Show the endpoint' }).waitFor();
      await text(page, '2 more live endpoints do not accept postbacks');
      expect(await page.getByText('Paused shop').count()).toBe(0);
      // An older version of the API names only the endpoints that have been paused for minutes.
      changed = { ...changed, failingEndpoints: null };
      await comeBackUntilLoaded(world.driver, page, /\/attention$/);
      await text(page, 'The live endpoint of Paused shop keeps failing, so its postbacks are paused');
      await text(page, '2 more live endpoints are paused');
      await world.driver.close(page);
    });

    it('states on the overview that the figures are those of the live environment', async () => {
      await world.driver.goTo(world.manager, '/');
      await text(world.manager, 'The figures are those of the live environment.');
    });

    it('replaces a token that has leaked, and shows the new token', async () => {
      const { token, last4 } = await world.driver.manage('POST', `/admin/partners/${world.partner.id}/tokens`, {
        environment: 'live',
        name: 'Web shop',
      });
      await world.driver.goTo(world.manager, `/partners/${world.partner.id}?tab=tokens`);
      await world.manager.getByRole('row', { name: last4 }).getByRole('button', { name: 'Leaked' }).click();
      await text(world.manager, `Token “Web shop” …${last4}, Live, created`);
      await text(world.manager, 'The token stops working immediately');
      await confirm(world.manager, 'Replace leaked token');
      await text(world.manager, 'It is shown only once');
      const account = await requestJson('GET', `${world.driver.stack.baseUrl}/api/v2/partner/account`, { token });
      expect(account.status).toBe(401);
      const successor = world.manager.getByRole('dialog', { name: 'The live token' });
      await successor.getByText('Token “Web shop” …').waitFor();
      await successor.getByRole('button', { name: 'Close' }).click();
      const row = world.manager.getByRole('row', { name: last4 });
      for (const state of ['Revoked', 'Replaced']) await row.getByText(state, { exact: true }).waitFor();
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

    it('says before a portal link is created that the link works once, and that a reload of the portal ends the session', async () => {
      await world.driver.goTo(world.manager, `/partners/${world.partner.id}?tab=links`);
      await press(world.manager, 'Create a portal link');
      const dialog = world.manager.getByRole('dialog');
      await dialog.getByText('The link works once.').waitFor();
      await dialog.getByText('Reloading or closing the portal page ends the session').waitFor();
      await confirm(world.manager, 'Cancel');
    });

    it('names the partner to deactivate, and says what happens to its portal links and that this can be undone', async () => {
      await world.driver.goTo(world.manager, `/partners/${world.partner.id}?tab=settings`);
      await press(world.manager, 'Deactivate the partner');
      const dialog = world.manager.getByRole('dialog');
      await dialog.getByText(world.partner.name, { exact: true }).waitFor();
      await dialog.getByText('portal links and open portal sessions do not work').waitFor();
      await dialog.getByText('You can activate the partner again at any time.').waitFor();
      await confirm(world.manager, 'Cancel');
    });

    it('reports a failure when no sale was released because the partner is not active', async () => {
      const shop = await world.driver.partner('A shop that is not active');
      const held = await world.driver.sell(shop, { email: 'nobody@yopmail.com' });
      await world.driver.manage('PATCH', `/admin/partners/${shop.id}`, { active: false });
      // Opens a new window, because a window that has shown the list before shows cached rows at first.
      const page = await world.driver.signIn(MANAGER, '/held');
      await page.getByRole('checkbox', { name: held }).waitFor();
      for (const name of ['Release', 'Refuse']) {
        expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
      }
      await page.getByRole('checkbox', { name: held }).check();
      await press(page, 'Release 1 sale');
      await confirm(page, 'Release 1 sale');
      const message = page.getByRole('alert').filter({ hasText: 'No sale was released.' });
      await message
        .getByText('No sale was released. The partner is not active. Activate it, then release its sales.')
        .waitFor();
      expect(await message.getAttribute('style')).toContain('red');
      await world.driver.manage('POST', '/admin/sales/decisions', {
        decision: 'refuse',
        oids: [held],
        note: 'The shop has closed',
      });
      await world.driver.goTo(page, `/sales/${held}`);
      const steps = page.getByRole('main').locator('.mantine-Timeline-item');
      const step = steps.filter({ hasText: 'Refused by a manager' });
      await step.getByText('The shop has closed', { exact: true }).waitFor();
      await step.getByRole('button', { name: 'Copy', exact: true }).waitFor();
      await step.locator('time').waitFor();
      expect(await steps.filter({ hasText: 'Held' }).innerText()).not.toContain('The shop has closed');
      await world.driver.close(page);
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
        name: 'A renamed shop',
        revokeWindowDays: 10,
        endpointLimits: { concurrency: 3 },
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
      const release = world.manager.getByRole('main').locator('.mantine-Timeline-item');
      await release.filter({ hasText: 'Released by a manager' }).getByText('You', { exact: true }).waitFor();
      await text(world.manager, 'Attempt 1');
      await world.driver.goTo(world.manager, `/audit?entityId=${held}`);
      await world.manager.getByRole('cell', { name: 'sale.released' }).waitFor();
    });
  });
}
