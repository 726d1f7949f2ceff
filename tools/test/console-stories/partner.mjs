import { readFileSync } from 'node:fs';
import { requestJson } from '../../stack/http.mjs';
import { confirm, MANAGER, press, text } from './pages.mjs';

const ACCOUNT = '**/api/v2/partner/account';

/** Tests the portal of a partner. @param {any} world  the driver, a partner, the oid of one of its sales, and a manager's window */
export function partnerStories(world) {
  describe('for a partner', () => {
    it('opens the portal by a link only once, and keeps the code of the link in no URL, cookie or browser storage', async () => {
      const url = await world.driver.portalLink(world.partner);
      const code = url.split('#')[1];
      const page = await world.driver.open(url);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(page.url()).not.toContain(code);
      const kept = await page.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
      );
      expect(kept).not.toMatch(/ptk_|eyJ/);
      expect(kept).not.toContain(code);
      for (let repeat = 0; repeat < 2; repeat += 1) {
        const again = await world.driver.open(url);
        await again.getByRole('heading', { name: 'Tandem', exact: true }).waitFor();
        await text(again, 'This link cannot be opened');
        await text(again, 'ask your partner manager for a new link');
        await world.driver.close(again);
      }
      await world.driver.close(page);
    });

    it('keeps a link usable when its account cannot be loaded, and repeats only the request for the account', async () => {
      const page = await world.driver.open('/nothing');
      let exchanges = 0;
      let failures = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/portal-session')) exchanges += 1;
      });
      await page.route(ACCOUNT, (route) => {
        failures += 1;
        return route.fulfill({ status: 503, json: { detail: 'The test answers 503.' } });
      });
      await page.goto(await world.driver.portalLink(world.partner));
      await text(page, 'The test answers 503.');
      expect(failures).toBeGreaterThan(1);
      await page.unroute(ACCOUNT);
      await press(page, 'Try again');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(exchanges).toBe(1);
      await world.driver.close(page);
    });

    it('opens a new link in the tab of a link that could not be opened, and removes its code from the address', async () => {
      const page = await world.driver.open('/portal#invented');
      await text(page, 'This link cannot be opened');
      // The addresses differ only in the fragment, so the browser does not load the page again.
      await page.evaluate(() => location.assign('#invented'));
      await world.driver.eventually(() => page.evaluate(() => location.hash === ''));
      const url = await world.driver.portalLink(world.partner);
      await page.goto(url);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(page.url()).not.toContain(url.split('#')[1]);
      await world.driver.close(page);
    });

    it('shows and exports the partner’s own sales, and shows no sale of another partner', async () => {
      const other = await world.driver.partner('Another shop');
      const foreign = await world.driver.sell(other);
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, '/my/sales');
      await page.getByRole('link', { name: world.oid }).waitFor();
      expect(await page.locator('td i').count()).toBe(0);
      expect(await page.content()).not.toContain(foreign);
      const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export as CSV')]);
      expect(file.suggestedFilename()).toBe('sales.csv');
      const guide = page.getByRole('link', { name: 'Columns of the CSV file' });
      expect(await guide.getAttribute('href')).toBe('/docs/partner-guide#the-exported-file');
      await world.driver.goTo(page, `/my/sales/${foreign}`);
      await page.getByRole('main').getByRole('alert').waitFor();
      await world.driver.close(page);
    });

    it('tests the endpoint, creates a checkout URL, and revokes a sale', async () => {
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, '/my/endpoint');
      await press(page, 'Send a test');
      await confirm(page, 'Send a test');
      await text(page, 'The endpoint answered 200');
      await world.driver.goTo(page, '/my/checkout');
      // Even before a URL is created, the page shows the lifetime of URLs. The stack uses the default of 24 hours.
      await text(page, 'It is valid for 24 hours');
      await page.getByRole('textbox', { name: 'Your reference' }).fill('order-9');
      await page.getByRole('textbox', { name: 'Currency' }).fill('xyz');
      await press(page, 'Create the URL');
      await text(page, 'No currency has this code. Enter the three letters of one');
      await page.getByRole('textbox', { name: 'Currency' }).fill('usd');
      await press(page, 'Create the URL');
      await text(page, '20% off');
      await page.getByRole('textbox', { name: 'Your reference' }).fill('order-10');
      await page.getByText('20% off').waitFor({ state: 'detached' });
      const sold = await world.driver.sell(world.partner);
      await world.driver.goTo(page, `/my/sales/${sold}`);
      await press(page, 'Revoke the sale');
      const dialog = page.getByRole('dialog');
      await dialog.getByText(new RegExp(`^Sale ${sold}, \\$`)).waitFor();
      await dialog.getByText('Your reference: order-1', { exact: true }).waitFor();
      await dialog.getByText('does not refund the customer or end the subscription').waitFor();
      await dialog.getByText('Your partner manager can read it.').waitFor();
      await confirm(page, 'Revoke the sale');
      await page.getByText('Revoked', { exact: true }).first().waitFor();
      await text(page, 'Requested by the customer');
      await world.driver.goTo(page, '/my/overview');
      await text(page, '1 revoked: -$');
      await text(page, 'Net $');
      await world.driver.close(page);
    });

    it('shows the figures of the new day after midnight', async () => {
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, '/my/sales');
      // Waits until the page has left the overview, because the overview requests the figures of the real day.
      await page.getByRole('link', { name: world.oid }).waitFor();
      const lastDays = new Set();
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url());
        if (pathname.endsWith('/partner/statistics')) lastDays.add(searchParams.get('to'));
      });
      // Both days are in the past, so that the page has no figures of them yet.
      const evening = new Date();
      evening.setDate(evening.getDate() - 3);
      evening.setHours(23, 59, 0, 0);
      await page.clock.install({ time: evening });
      await world.driver.goTo(page, '/my/overview');
      await text(page, 'No sales in the last 30 days');
      expect(lastDays.size).toBe(1);
      await page.clock.fastForward(90_000);
      await world.driver.eventually(() => lastDays.size === 2);
      const nextDay = Date.parse([...lastDays][1]) - Date.parse([...lastDays][0]);
      expect(nextDay).toBe(24 * 3600 * 1000);
      await world.driver.close(page);
    });

    it('says who can add the promotion that a checkout URL needs', async () => {
      const without = await world.driver.manage('POST', '/admin/partners', { name: 'New shop', kind: 'promotion' });
      const page = await world.driver.openPortal(without);
      await world.driver.goTo(page, '/my/checkout');
      await press(page, 'Create the URL');
      await text(page, 'You have no active promotion');
      await text(page, 'Ask your partner manager to add or activate a promotion');
      expect(await page.getByText('Something went wrong').count()).toBe(0);
      await world.driver.close(page);
    });

    it('says whom to contact, and offers no retry, when the partner was deactivated', async () => {
      const shop = await world.driver.partner('A shop to deactivate');
      const page = await world.driver.openPortal(shop);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await world.driver.manage('PATCH', `/admin/partners/${shop.id}`, { active: false });
      await world.driver.eventually(async () => {
        const { status } = await requestJson('GET', `${world.driver.stack.baseUrl}/api/v2/partner/account`, shop);
        return status === 403;
      });
      await world.driver.goTo(page, '/my/sales');
      await text(page, 'This partner account is not active');
      await text(page, 'Contact your partner manager.');
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      expect(await page.getByText('Something went wrong').count()).toBe(0);
      await world.driver.close(page);
    });

    it('warns a partner, but not a manager, that a reload ends the session, when the script of a screen cannot be loaded', async () => {
      const warned = [];
      for (const [page, screen] of [
        [await world.driver.openPortal(world.partner), '/my/deliveries'],
        [await world.driver.signIn(MANAGER, '/partners'), '/audit'],
      ]) {
        await page.route('**/console/assets/*.js', (route) => route.abort());
        await world.driver.goTo(page, screen);
        await text(page, 'Something went wrong on this page.');
        warned.push(await page.getByText('Reloading ends your session').count());
        await world.driver.close(page);
      }
      expect(warned).toEqual([1, 0]);
    });

    it('exports the coupons of all pages of a group', async () => {
      const shop = await world.driver.manage('POST', '/admin/partners', { name: 'Coupons', kind: 'voucher' });
      await world.driver.manage('POST', `/admin/partners/${shop.id}/voucher-groups`, {
        name: 'Spring',
        product: { name: 'Advanced', tier: '', periodMonths: 12 },
        currency: 'USD',
        environment: 'live',
        stock: 600,
      });
      const page = await world.driver.openPortal(shop);
      await world.driver.goTo(page, '/my/vouchers');
      await page.getByRole('heading', { name: 'Coupons', exact: true }).waitFor();
      await text(page, 'You create coupons from a voucher group');
      for (const count of ['500', '3']) {
        await press(page, 'Create coupons');
        await page.getByRole('dialog').getByRole('textbox', { name: 'How many' }).fill(count);
        await confirm(page, 'Create coupons');
        await text(page, `${count} coupons were created.`);
      }
      await page.getByRole('heading', { name: 'Coupons of Spring' }).waitFor();
      await press(page, 'Create coupons');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Spring', { exact: true }).waitFor();
      await dialog.getByText('in which 97 are left').waitFor();
      await dialog.getByRole('textbox', { name: 'How many' }).fill('98');
      await dialog.getByText('Enter a number from 1 to 97: no more are left.').waitFor();
      await confirm(page, 'Cancel');
      const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export as CSV')]);
      const lines = readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\r\n');
      expect(lines[0]).toBe('code,status,createdAt,redeemedAt,expiresAt');
      expect(new Set(lines.slice(1).map((line) => line.split(',')[0])).size).toBe(503);
      await world.driver.close(page);
    });

    it('shows a time only once if the time zone of the reader is UTC', async () => {
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, `/my/sales/${world.oid}`);
      const sold = page.locator('dl div').filter({ hasText: 'Sold' });
      await sold.getByText('UTC').first().waitFor();
      const days = (await sold.textContent()).match(/\b20\d\d\b/g);
      expect(days).toHaveLength(new Date().getTimezoneOffset() === 0 ? 1 : 2);
      await world.driver.close(page);
    });

    it('explains why a sale is held, and that the partner does not need to do anything', async () => {
      const held = await world.driver.sell(world.partner, { email: 'other@yopmail.com', data4: 'order-held' });
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, '/my/sales?status=held');
      await page.getByRole('row', { name: held }).getByText('The buyer used a disposable e-mail address').waitFor();
      await page.getByRole('link', { name: held }).click();
      await text(page, 'You do not need to do anything');
      await text(page, 'The buyer used a disposable e-mail address');
      expect(await page.content()).not.toContain('disposable_email');
      await world.driver.manage('POST', '/admin/sales/decisions', { decision: 'refuse', oids: [held] });
      await world.driver.goTo(page, '/my/sales?status=failed');
      await page.getByRole('row', { name: held }).getByText('The sale was refused after a check').waitFor();
      await world.driver.close(page);
    });

    it('shows why a filtered list is empty, with a button that clears the filters', async () => {
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, '/my/sales?refId=no-such-order');
      await text(page, 'No sales match the filters');
      await page.getByRole('button', { name: 'Clear the filters' }).nth(1).click();
      await page.getByRole('link', { name: world.oid }).waitFor();
      await world.driver.goTo(page, '/my/deliveries?status=held');
      await text(page, 'No held postbacks');
      await page.getByRole('button', { name: 'Clear the filters' }).nth(1).click();
      await page.getByRole('link', { name: world.oid }).waitFor();
      await text(page, 'The whole reference; upper and lower case matter.');
      await page.getByRole('textbox', { name: 'Your reference' }).fill('no-such-order');
      await text(page, 'No deliveries match the filters');
      await page.getByRole('button', { name: 'Clear the filters' }).nth(1).click();
      await page.getByRole('link', { name: world.oid }).waitFor();
      expect(await page.getByRole('textbox', { name: 'Your reference' }).inputValue()).toBe('');
      expect(await page.getByRole('button', { name: 'Clear the filters' }).count()).toBe(0);
      await world.driver.close(page);
    });

    it('does not offer to change the endpoint with a read-only link, and ends the session on sign-out', async () => {
      const page = await world.driver.openPortal(world.partner, { readOnly: true });
      await world.driver.goTo(page, '/my/endpoint');
      await text(page, world.partner.inbox);
      await text(page, 'Reloading this page ends it, too.');
      expect(await page.getByRole('button', { name: 'Change the endpoint' }).count()).toBe(0);
      await press(page, 'Sign out');
      await text(page, 'To come back, you need a new one');
      const [ended] = await Promise.all([
        page.waitForResponse((response) => response.url().endsWith('/portal-session')),
        confirm(page, 'Sign out'),
      ]);
      expect([ended.request().method(), ended.status()]).toEqual(['DELETE', 204]);
      await text(page, 'You are signed out');
      await page.reload();
      await text(page, 'You are signed out');
      await text(page, 'when the page is reloaded or closed');
      await press(page, 'Managers and support sign in here');
      await text(page, 'You need no account');
      await world.driver.close(page);
    });
  });
}
