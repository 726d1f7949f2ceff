import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { changeAnswers, confirm, MANAGER, press, text } from './pages.mjs';

/** Tests the deliveries to a partner, as a manager sees them. @param {any} world  the driver, a partner, and a manager's window */
export function managerDeliveryStories(world) {
  describe('for a manager with deliveries', () => {
    it('shows markup in the answers of an endpoint as text', async () => {
      const answer = '<img src="/x" onerror="throw 1"><b>bold</b>';
      let status = 400;
      const endpoint = createServer((_, response) =>
        response.writeHead(status, { 'content-type': 'text/html' }).end(answer),
      );
      await once(endpoint.listen(0, '127.0.0.1'), 'listening');
      endpoint.unref();
      const hostile = await world.driver.partner('A hostile shop');
      await world.driver.setEndpoint(
        hostile,
        `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (endpoint.address()).port}/`,
      );
      const sold = await world.driver.sell(hostile);
      await world.driver.eventually(async () => {
        const { items } = await world.driver.manage('GET', `/admin/partners/${hostile.id}/deliveries?oid=${sold}`);
        return items[0]?.attempts.length > 0;
      });
      await world.driver.goTo(world.manager, `/partners/${hostile.id}?tab=deliveries&oid=${sold}`);
      await world.manager.getByRole('row', { name: sold }).getByRole('button', { name: 'Attempts' }).click();
      const attempts = world.manager.getByRole('dialog', { name: `Sale ${sold} Failing, will be retried` });
      await attempts.getByText(answer, { exact: true }).waitFor();
      await attempts
        .getByRole('cell')
        .getByText(/\d:\d\d:\d\d/)
        .first()
        .waitFor();
      expect(await world.manager.locator('img, td b, code b').count()).toBe(0);
      status = 200;
      const deliveries = `/admin/partners/${hostile.id}/deliveries`;
      const { items } = await world.driver.manage('GET', `${deliveries}?oid=${sold}`);
      await world.driver.manage('POST', `${deliveries}/${items[0].id}/replay?environment=live`);
      // The list refreshes while the dialog is open, and the dialog then shows the new state.
      await world.manager.getByRole('dialog', { name: `Sale ${sold} Delivered` }).waitFor();
      status = 400;
      await world.manager.keyboard.press('Escape');
      const page = await world.driver.openPortal(hostile);
      await world.driver.goTo(page, '/my/endpoint');
      await press(page, 'Send a test');
      await confirm(page, 'Send a test');
      await page.getByText(answer, { exact: true }).waitFor();
      await page.getByText(/^The server refused the request \(400\), after \d+ ms\.$/).waitFor();
      expect(await page.locator('img, code b').count()).toBe(0);
      await world.driver.close(page);
    });

    it('states in plain words why a sale is held, and why the postback of another sale is not sent', async () => {
      const held = await world.driver.sell(world.partner, { email: `${Date.now()}@yopmail.com` });
      await world.driver.goTo(world.manager, `/sales/${held}`);
      await text(world.manager, 'because a fraud rule found it suspicious. Reason: Disposable e-mail address.');
      let answer = /** @type {object} */ ({ verdict: 'disabled' });
      await world.manager.route('**/story', async (route) => {
        const story = await (await route.fetch()).json();
        const endpoint = { ...story.endpoint, status: 'disabled', disabledReason: 'endpoint_gone' };
        await route.fulfill({ json: { ...story, endpoint, ...answer } });
      });
      await world.driver.goTo(world.manager, `/sales/${world.oid}`);
      await text(world.manager, 'Reason: It answered 410 (Gone). When the endpoint works again, enable it');
      // From now on, the answer has a verdict that this release of the console does not know.
      answer = { verdict: 'lost_in_space', reason: 'nobody knows' };
      await world.driver.goTo(world.manager, '/sales/invented');
      await text(world.manager, 'Nobody knows');
      await world.manager.unroute('**/story');
    });

    it('says whether the partner was notified of a refund, and that the partner revoked a sale', async () => {
      const page = world.manager;
      const oid = await world.driver.sell(world.partner);
      await world.driver.eventually(async () => {
        const { verdict } = await world.driver.manage('GET', `/admin/sales/${oid}/story`);
        return verdict === 'delivered';
      });
      const at = new Date().toISOString();
      const failed = { number: 1, at, status: 500, latencyMs: 7, error: 'status', response: null };
      let change = (/** @type {any} */ { sale, delivery, ...told }) => ({
        ...told,
        sale: { ...sale, status: 'refunded', closedBy: 'refunded', closedAt: at },
        delivery,
        notice: { ...delivery, kind: 'closure', status: 'pending', nextAttemptAt: at, attempts: [failed] },
      });
      await changeAnswers(page, '**/story', (story) => change(story));
      await world.driver.goTo(page, `/sales/${oid}`);
      await text(page, 'The partner has not been told about the refund yet: its endpoint answers 500.');
      const steps = page.getByRole('main').locator('.mantine-Timeline-item');
      await steps.filter({ hasText: 'Attempt 1 of the notice' }).getByText('Not accepted (500) · 7 ms').waitFor();
      await steps.filter({ hasText: 'Attempt 1' }).getByText('Accepted (200)', { exact: false }).first().waitFor();
      change = ({ sale, ...told }) => ({
        ...told,
        next: [],
        sale: { ...sale, status: 'revoked', revokedAt: at, revokeReason: 'fraud' },
      });
      await world.driver.goTo(page, '/sales');
      await world.driver.goTo(page, `/sales/${oid}`);
      await text(page, 'The partner revoked the sale at');
      await text(page, 'Reason: Fraud. The postback was delivered.');
      await page.unroute('**/story');
    });

    it.each([
      [
        { status: 'failed' },
        { status: 'active' },
        'refund: the answer of its endpoint does not arrive completely, and the notice is no longer sent automatically. When the endpoint works again, choose “Send again”.',
        'Send again',
      ],
      [{ status: 'held', attempts: [] }, { status: 'active' }, 'not sent automatically: choose “Send”.', 'Send'],
      [
        { status: 'held', attempts: [] },
        { status: 'disabled' },
        'its endpoint is disabled, so the notice is held. When the endpoint works again, enable it, then choose “Send”.',
        undefined,
      ],
      [
        { status: 'held', attempts: [] },
        null,
        'it has no endpoint, so the notice is held. When the partner has set up an endpoint, choose “Send”.',
        undefined,
      ],
    ])('says what to do about the notice %j of a refund if the endpoint is %j', async (told, now, words, button) => {
      const { sale, endpoint, ...story } = await world.driver.manage('GET', `/admin/sales/${world.oid}/story`);
      const at = new Date().toISOString();
      const attempt = { number: 1, at, status: 200, latencyMs: 7, error: 'body (UND_ERR_SOCKET)', response: null };
      const { partnerId, environment } = sale;
      await changeAnswers(world.manager, '**/story', () => ({
        ...story,
        verdict: 'delivered',
        sale: { ...sale, status: 'refunded', closedBy: 'refunded', closedAt: at },
        endpoint: now && { ...endpoint, ...now },
        notice: { ...story.delivery, id: 'notice', kind: 'closure', attempts: [attempt], ...told },
        next: [{ step: 'replay_delivery', partnerId, environment, deliveryId: 'notice' }],
      }));
      // An id that no test has opened before: for a known id, the page would show a cached answer.
      await world.driver.goTo(world.manager, `/sales/${randomUUID()}`);
      await text(world.manager, words);
      const buttons = world.manager.getByRole('main').getByRole('button', { name: /^Send/ });
      expect(await buttons.allTextContents()).toEqual(button ? [button] : []);
      await world.manager.unroute('**/story');
    });

    it('shows that a refund has stopped a postback, which cannot be sent again', async () => {
      const shop = await world.driver.partner();
      await world.driver.behave(shop, { status: 503 });
      const sold = await world.driver.sell(shop);
      await fetch(`${world.driver.stack.sandbox.store}/subscriptions/${sold}/refund`, { method: 'POST' });
      await world.driver.eventually(async () => {
        const { items } = await world.driver.manage(
          'GET',
          `/admin/partners/${shop.id}/deliveries?environment=live&oid=${sold}`,
        );
        return items.some(({ error }) => error === 'sale refunded');
      });
      await world.driver.goTo(world.manager, `/partners/${shop.id}?tab=deliveries&oid=${sold}`);
      const row = world.manager.getByRole('row', { name: sold });
      await row.getByText('Stopped', { exact: true }).waitFor();
      await row.getByText('The sale was refunded').waitFor();
      expect(await row.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    });

    it.each([1280, 980])('shows long ids in one line, with a button that copies them, %d px wide', async (width) => {
      const shop = await world.driver.partner('A shop with long references');
      await world.driver.behave(shop, { status: 503 });
      const refId = `order-${'0123456789'.repeat(6)}`;
      const sold = await world.driver.sell(shop, { data4: refId });
      const page = await world.driver.signIn(MANAGER, `/partners/${shop.id}?tab=deliveries`, {
        width,
        colorScheme: 'light',
      });
      const row = page.getByRole('row', { name: sold });
      await row.getByText('Failing, will be retried').waitFor();
      for (const id of [row.getByRole('link', { name: sold }), row.getByText(refId)]) {
        expect(await id.getAttribute('title')).toBe(await id.textContent());
        const { height } = await id.boundingBox();
        expect(height).toBeLessThan(30);
      }
      expect(await row.getByRole('button', { name: 'Copy', exact: true }).count()).toBe(2);
      const list = page.getByRole('region', { name: 'Deliveries' });
      expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      await world.driver.close(page);
    });

    it('finds a failed postback, and sends it again', async () => {
      await world.driver.behave(world.partner, { status: 400 });
      const failed = await world.driver.sell(world.partner, { data4: 'order-failed' });
      await world.driver.eventually(async () => {
        const { items } = await world.driver.manage(
          'GET',
          `/admin/partners/${world.partner.id}/deliveries?oid=${failed}`,
        );
        return items[0]?.attempts.length > 0;
      });
      await world.driver.goTo(world.manager, `/partners/${world.partner.id}?tab=deliveries&oid=${failed}`);
      await world.manager.getByRole('cell', { name: 'The server refused the request (400)' }).waitFor();
      await press(world.manager, 'Send again');
      const dialog = world.manager.getByRole('dialog');
      await dialog.getByText(`Sale ${failed}`, { exact: true }).waitFor();
      await dialog.getByText('does not count the sale twice').waitFor();
      // The endpoint recovers only now, so that no scheduled attempt delivers the postback first.
      await world.driver.behave(world.partner, { status: 200 });
      await confirm(world.manager, 'Send again');
      await world.manager.getByRole('row', { name: failed }).getByText('Delivered').waitFor();
      await world.driver.goTo(world.manager, `/sales/${failed}`);
      const steps = world.manager.getByRole('main').locator('.mantine-Timeline-item');
      await steps.filter({ hasText: 'Sent again by a manager' }).getByText('You', { exact: true }).waitFor();
      await world.manager.locator('dl').getByText('Endpoint now', { exact: true }).waitFor();
    });

    it('links a held postback to the missing endpoint, and offers no replay while the endpoint is missing', async () => {
      const name = `No endpoint ${Date.now()}`;
      const { id } = await world.driver.manage('POST', '/admin/partners', { name, kind: 'promotion' });
      const code = `N${Date.now()}`;
      await world.driver.manage('POST', `/admin/partners/${id}/promotions`, { code, percentOff: 20 });
      const sold = await world.driver.sell({ id, code });
      await world.driver.eventually(async () => {
        const { heldPostbacks } = await world.driver.manage('GET', '/admin/attention');
        return heldPostbacks.items.some(({ partnerId }) => partnerId === id);
      });
      await world.driver.goTo(world.manager, '/');
      const matter = world.manager.getByRole('listitem').filter({ hasText: name });
      await matter.getByRole('link', { name: 'Show the held postbacks' }).waitFor();
      await matter.getByRole('link', { name: `${name}: 1 postback is held` }).click();
      await world.manager.getByRole('tab', { name: 'Endpoint', selected: true }).waitFor();
      await world.driver.goTo(world.manager, `/partners/${id}?tab=deliveries&status=held`);
      await world.manager.getByRole('row').getByText('Held', { exact: true }).waitFor();
      await text(world.manager, 'The partner’s postbacks are held until the partner sets up an endpoint.');
      expect(await world.manager.getByRole('button', { name: 'Send again' }).count()).toBe(0);
      expect(await world.manager.getByRole('button', { name: 'Send deliveries of a period again' }).count()).toBe(0);
      await world.manager.getByRole('link', { name: 'Create a portal link for the partner' }).click();
      await world.manager.getByRole('tab', { name: 'Portal links', selected: true }).waitFor();
      await world.driver.goTo(world.manager, `/sales/${sold}`);
      await world.manager.getByRole('link', { name: 'Send the partner a portal link' }).click();
      await world.manager.getByRole('tab', { name: 'Portal links', selected: true }).waitFor();
    });

    it('sends deliveries of a period again only in the environment of the dialog, even after the browser went back', async () => {
      const shop = await world.driver.partner();
      const tokens = `/admin/partners/${shop.id}/tokens`;
      const { token } = await world.driver.manage('POST', tokens, { environment: 'test' });
      await world.driver.setEndpoint({ token }, `${world.driver.stack.sandbox.endpoints}/${shop.inbox}`);
      const page = world.manager;
      await world.driver.goTo(page, `/partners/${shop.id}?tab=deliveries`);
      await world.driver.goTo(page, `/partners/${shop.id}?tab=deliveries&environment=test`);
      await press(page, 'Send deliveries of a period again');
      await text(page, 'Environment: Test');
      await text(page, 'Left out are deliveries that are “Failing, will be retried” or “Waiting”');
      await page.goBack();
      await page.waitForURL((url) => !url.searchParams.has('environment'));
      await text(page, 'Environment: Test');
      await page.getByRole('dialog').getByLabel('To (inclusive)').fill('2026-01-02');
      const [counted] = await Promise.all([
        page.waitForRequest((request) => request.method() === 'GET' && request.url().includes('/deliveries/replay')),
        page.getByRole('dialog').getByLabel('From').fill('2026-01-02'),
      ]);
      expect(new URL(counted.url()).searchParams.get('environment')).toBe('test');
      await text(page, 'There is nothing to send for this period and status.');
      const [sent] = await Promise.all([
        page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('/deliveries/replay')),
        confirm(page, 'Send again'),
      ]);
      expect(new URL(sent.url()).searchParams.get('environment')).toBe('test');
      const nothing = page.getByRole('alert').filter({ hasText: 'Nothing was sent again' });
      await nothing.waitFor();
      expect(await nothing.getAttribute('style')).toContain('orange');
      await nothing.getByRole('button').click();
    });

    it('clears the filter of a list in a tab, and stays on the tab', async () => {
      const { id } = await world.driver.partner('A shop without deliveries');
      await world.driver.goTo(world.manager, `/partners/${id}?tab=deliveries&status=held`);
      await text(world.manager, 'No held postbacks');
      await world.manager.getByRole('button', { name: 'Clear the filters' }).first().click();
      await text(world.manager, 'No deliveries');
      await world.driver.eventually(async () => !new URL(world.manager.url()).searchParams.has('status'));
      expect(new URL(world.manager.url()).searchParams.get('tab')).toBe('deliveries');
      expect(await world.manager.getByRole('tab', { name: 'Deliveries' }).getAttribute('aria-selected')).toBe('true');
    });
  });
}
