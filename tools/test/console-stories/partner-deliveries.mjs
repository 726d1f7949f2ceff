import { requestJson } from '../../stack/http.mjs';
import { comeBack, confirm, press, text } from './pages.mjs';

/** Tests the endpoint and the deliveries in the portal of a partner. @param {any} world  the driver, and a partner with a sale */
export function partnerDeliveryStories(world) {
  describe('for a partner with deliveries', () => {
    it('says on the overview and on the deliveries screen that postbacks are held while no endpoint is set up', async () => {
      const without = await world.driver.manage('POST', '/admin/partners', {
        name: 'No endpoint yet',
        kind: 'promotion',
      });
      const page = await world.driver.openPortal(without);
      await text(page, 'No endpoint is set up: postbacks are held');
      await world.driver.goTo(page, '/my/deliveries');
      await text(page, 'No endpoint is set up: postbacks are held');
      await page.getByRole('link', { name: 'Go to the endpoint' }).click();
      await page.getByRole('heading', { name: 'Endpoint', exact: true }).waitFor();
      await text(page, 'An endpoint is a URL of your own server');
      await world.driver.close(page);
      const other = await world.driver.openPortal(world.partner);
      await text(other, 'Sales per day');
      await other.waitForLoadState('networkidle');
      expect(await other.getByText('postbacks are held').count()).toBe(0);
      await world.driver.close(other);
    });

    it('says, instead of showing a general error, that no server has the host name of a new endpoint', async () => {
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, '/my/endpoint');
      await press(page, 'Change the endpoint');
      await text(page, 'with a status from 200 to 299');
      await text(page, 'be reachable from the internet');
      await page.getByRole('dialog').getByText('Authentication', { exact: true }).waitFor();
      await page.getByRole('textbox', { name: 'URL' }).fill('https://nowhere.invalid/sales');
      // A click outside the dialog keeps the input.
      await page.mouse.click(5, 300);
      await confirm(page, 'Change the endpoint');
      await text(page, 'No server has this name');
      expect(await page.getByText('Something went wrong').count()).toBe(0);
      await page.getByRole('alert').getByText('Correct the marked fields.').waitFor();
      expect(await page.getByText('Request id').count()).toBe(0);
      await world.driver.close(page);
    });

    it('enables a disabled endpoint, with a message that does not cover the header', async () => {
      const gone = await world.driver.partner('A shop whose endpoint was gone');
      await world.driver.behave(gone, { status: 410 });
      await world.driver.sell(gone);
      const state = () => world.driver.manage('GET', `/admin/partners/${gone.id}/postback?environment=live`);
      await world.driver.eventually(async () => (await state()).status === 'disabled');
      const page = await world.driver.openPortal(gone);
      await world.driver.goTo(page, '/my/endpoint');
      await text(page, 'then choose “Save and enable the endpoint”');
      await press(page, 'Save and enable the endpoint');
      await text(page, 'the endpoint is enabled again, even if you change nothing');
      await confirm(page, 'Save and enable the endpoint');
      const message = page.getByRole('alert').filter({ hasText: 'The endpoint was saved, and is enabled.' });
      await message.waitFor();
      const header = await page.locator('header').first().boundingBox();
      expect((await message.boundingBox()).y).toBeGreaterThan(header.height);
      await page.getByRole('button', { name: 'Change the endpoint' }).waitFor();
      await world.driver.close(page);
    });

    it('counts failed and held postbacks when the endpoint is enabled again, and leads to the dialog that sends them', async () => {
      const gone = await world.driver.partner('A shop that missed postbacks');
      await world.driver.behave(gone, { status: 410 });
      const failed = await world.driver.sell(gone);
      const list = () => world.driver.manage('GET', `/admin/partners/${gone.id}/deliveries?environment=live`);
      await world.driver.eventually(async () => (await list()).items.some(({ status }) => status === 'failed'));
      const held = await world.driver.sell(gone);
      await world.driver.eventually(async () => (await list()).items.some(({ status }) => status === 'held'));
      const page = await world.driver.openPortal(gone);
      await world.driver.goTo(page, '/my/deliveries');
      await text(page, 'none can be sent again, until the endpoint is enabled');
      await page.getByRole('row', { name: failed }).getByText('the address no longer exists (410)').waitFor();
      await page.getByRole('row', { name: held }).getByRole('button', { name: 'Attempts (0)' }).click();
      await text(page, 'Not sent yet, because the endpoint was missing or disabled.');
      await confirm(page, 'Close');
      expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
      await world.driver.behave(gone, { status: 200 });
      await world.driver.goTo(page, '/my/endpoint');
      await press(page, 'Save and enable the endpoint');
      await confirm(page, 'Save and enable the endpoint');
      await text(page, '1 failed and 1 held postbacks of the last 30 days were not delivered.');
      await world.driver.goTo(page, '/my/overview');
      await text(page, '1 failed and 1 held postbacks of the last 30 days were not delivered.');
      await page.getByRole('link', { name: 'Send them under “Deliveries”' }).click();
      await page.getByRole('row', { name: held }).getByRole('button', { name: 'Send', exact: true }).waitFor();
      await press(page, 'Send deliveries of a period again');
      const dialog = page.getByRole('dialog');
      const today = await dialog.getByLabel('To (inclusive)').inputValue();
      expect(Date.parse(today)).toBeGreaterThan(Date.now() - 48 * 3_600_000);
      // The sales may have been made before midnight.
      await dialog.getByLabel('From').fill(new Date(Date.parse(today) - 24 * 3_600_000).toISOString().slice(0, 10));
      const number = dialog.getByRole('status');
      const status = dialog.getByLabel('Deliveries with the status');
      await number.getByText('2 deliveries will be sent.', { exact: true }).waitFor();
      await status.selectOption('Failed');
      await number.getByText('1 delivery will be sent.', { exact: true }).waitFor();
      await status.selectOption('Delivered');
      await number.getByText('There is nothing to send for this period and status.', { exact: true }).waitFor();
      await status.selectOption('Failed or held');
      await confirm(page, 'Send again');
      await text(page, '2 deliveries are being sent again.');
      await world.driver.goTo(page, '/my/overview');
      await text(page, '2 delivered');
      await page.getByText('were not delivered').waitFor({ state: 'detached' });
      await world.driver.goTo(page, '/my/deliveries');
      await press(page, 'Send deliveries of a period again');
      await dialog.getByLabel('From').fill(new Date(Date.parse(today) - 24 * 3_600_000).toISOString().slice(0, 10));
      await number.getByText('There is nothing to send for this period and status.', { exact: true }).waitFor();
      await status.selectOption('All (failed, held or delivered)');
      await number.getByText('2 deliveries will be sent.', { exact: true }).waitFor();
      await confirm(page, 'Send again');
      await text(page, '2 deliveries are being sent again.');
      await world.driver.close(page);
    });

    it('sends the deliveries of a period again without showing their number if they cannot be counted', async () => {
      const page = await world.driver.openPortal(world.partner);
      await page.route('**/deliveries/replay?*', (route) => route.fulfill({ status: 503, json: {} }));
      await world.driver.goTo(page, '/my/deliveries');
      await press(page, 'Send deliveries of a period again');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('To (inclusive)').fill('2026-01-02');
      await dialog.getByLabel('From').fill('2026-01-02');
      await dialog.getByRole('status').getByText('Counting the deliveries…', { exact: true }).waitFor();
      await dialog.getByRole('status').filter({ hasText: /^$/ }).waitFor();
      expect(await dialog.getByRole('alert').count()).toBe(0);
      await confirm(page, 'Send again');
      await text(page, 'Nothing was sent again: no delivery of this period has the chosen status');
      await world.driver.close(page);
    });

    it('says why nothing was sent when the sale of a delivered postback was refunded, and names the partner’s own reference', async () => {
      const shop = await world.driver.partner('A shop with a refund');
      const sold = await world.driver.sell(shop, { data4: 'order-refunded' });
      const deliveries = `${world.driver.stack.baseUrl}/api/v2/partner/postback/deliveries`;
      let id;
      await world.driver.eventually(async () => {
        id = (await requestJson('GET', `${deliveries}?status=delivered`, shop)).body.items[0]?.id;
        return id !== undefined;
      });
      const page = await world.driver.openPortal(shop);
      await world.driver.goTo(page, '/my/deliveries');
      await fetch(`${world.driver.stack.sandbox.store}/subscriptions/${sold}/refund`, { method: 'POST' });
      await world.driver.eventually(async () => {
        const { status } = await requestJson('POST', `${deliveries}/${id}/replay`, shop);
        return status === 409;
      });
      await page.getByRole('row', { name: sold }).getByRole('button', { name: 'Send again' }).click();
      await page.getByRole('dialog').getByText('Your reference: order-refunded', { exact: true }).waitFor();
      await confirm(page, 'Send again');
      await text(page, 'Nothing was sent: the sale was refunded or charged back');
      expect(await page.getByText('Something went wrong').count()).toBe(0);
      await world.driver.close(page);
    });

    it('says what a key for Basic authentication consists of', async () => {
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, '/my/endpoint');
      await press(page, 'Change the endpoint');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Basic', { exact: true }).click();
      await dialog.getByLabel('Key').fill('secret');
      await confirm(page, 'Change the endpoint');
      await dialog.getByText('Enter a user name, a colon and a password.').waitFor();
      await world.driver.close(page);
    });

    it('asks for a sign-in again after “Not now” only when the partner acts, not when the screen refreshes', async () => {
      const page = await world.driver.openPortal(world.partner);
      await world.driver.goTo(page, '/my/deliveries');
      await page.getByRole('link', { name: world.oid }).first().waitFor();
      let refusals = 0;
      await page.route('**/api/v2/partner/**', (route) => {
        refusals += 1;
        return route.fulfill({ status: 401, json: { detail: 'The test answers 401.' } });
      });
      const ended = page.getByRole('dialog', { name: 'Your session has ended' });
      const notNow = async () => {
        await ended.getByRole('button', { name: 'Not now' }).click();
        await ended.waitFor({ state: 'detached' });
      };
      await world.driver.eventually(async () => {
        await comeBack(page);
        return ended.isVisible();
      });
      await notNow();
      await text(page, 'The latest data could not be loaded.');
      const before = refusals;
      await world.driver.eventually(async () => {
        await comeBack(page);
        return refusals > before + 2;
      });
      await text(page, 'The latest data could not be loaded.');
      expect(await ended.count()).toBe(0);
      await press(page, 'Send deliveries of a period again');
      await page.getByRole('dialog').getByLabel('From').fill('2026-01-01');
      await page.getByRole('dialog').getByLabel('To (inclusive)').fill('2026-01-01');
      await confirm(page, 'Send again');
      await notNow();
      await page.getByRole('dialog').getByText('The test answers 401.').waitFor();
      await confirm(page, 'Cancel');
      await world.driver.goTo(page, '/my/sales');
      await press(page, 'Try again');
      await notNow();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await press(page, 'Try again');
      await page.getByRole('link', { name: world.oid }).waitFor();
      await world.driver.close(page);
    });

    it('says at the field that a period ends before it starts, and says when a period has nothing to send again', async () => {
      const page = await world.driver.openPortal(world.partner);
      const requests = [];
      page.on('request', (request) => request.url().includes('/deliveries/replay') && requests.push(request.url()));
      await world.driver.goTo(page, '/my/sales');
      const [from, to] = ['From', 'To'].map((name) => page.getByLabel(name, { exact: true }));
      await from.fill('2100-01-02');
      await from.press('Enter');
      await text(page, 'No sales match the filters');
      await to.fill('2100-01-01');
      await to.press('Enter');
      await text(page, 'This day is before “From”.');
      expect(page.url()).not.toContain('to=');
      await from.fill('2100-01-01');
      await from.press('Enter');
      await page.waitForURL((url) => url.search === '?from=2100-01-01&to=2100-01-01');
      await world.driver.goTo(page, '/my/deliveries');
      await press(page, 'Send deliveries of a period again');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('To (inclusive)').fill('2026-01-01');
      await dialog.getByLabel('From').fill('2026-01-02');
      await confirm(page, 'Send again');
      await text(page, 'This day is before “From”.');
      expect(requests).toEqual([]);
      await dialog.getByLabel('To (inclusive)').fill('2026-12-31');
      await dialog.getByText('Must be at most 90 days later than from', { exact: true }).waitFor();
      await confirm(page, 'Send again');
      await dialog.getByText('Correct the marked fields.').waitFor();
      await dialog.getByLabel('To (inclusive)').fill('2026-01-02');
      await dialog.getByText('Must be at most 90 days').waitFor({ state: 'detached' });
      await dialog.getByText('There is nothing to send for this period and status.', { exact: true }).waitFor();
      expect(await dialog.getByRole('alert').count()).toBe(0);
      await confirm(page, 'Send again');
      await text(page, 'Nothing was sent again: no delivery of this period has the chosen status');
      await world.driver.close(page);
    });
  });
}
