import { comeBackUntilLoaded, confirm, loseAnswer, press, text } from './pages.mjs';

const POSTBACK = /^\/api\/v2\/partner\/postback$/;

/** Tests actions whose answer got lost. @param {any} world  the driver and a manager's window */
export function lostAnswerStories(world) {
  describe('when the answer to an action got lost', () => {
    const idOf = async (settings = {}) =>
      (await world.driver.manage('POST', '/admin/partners', { name: 'A shop', kind: 'promotion', ...settings })).id;

    /** Sets up the endpoint in a partner's portal. The endpoint is saved, but the answer gets lost, and the dialog stays open. */
    async function setUpWithLostAnswer(page) {
      await world.driver.goTo(page, '/my/endpoint');
      await press(page, 'Set up the endpoint');
      await page.getByRole('textbox', { name: 'URL' }).fill(`${world.driver.stack.sandbox.endpoints}/set-up`);
      await page.getByRole('dialog').getByLabel('Key').fill('a-key');
      await loseAnswer(page, 'POST', POSTBACK);
      await confirm(page, 'Set up the endpoint');
      await text(page, 'The server did not answer.');
    }

    it('deactivates a partner by a repeated press, although the page already shows the partner as not active', async () => {
      const id = await idOf();
      const path = new RegExp(`^/admin/partners/${id}$`);
      const page = world.manager;
      await world.driver.goTo(page, `/partners/${id}?tab=settings`);
      await press(page, 'Deactivate the partner');
      await loseAnswer(page, 'PATCH', path);
      await confirm(page, 'Deactivate the partner');
      await text(page, 'The server did not answer.');
      await comeBackUntilLoaded(world.driver, page, path);
      await text(page, 'Not active');
      expect(await page.getByRole('dialog').getByText('Activate the partner', { exact: true }).count()).toBe(0);
      await confirm(page, 'Deactivate the partner');
      await text(page, 'The partner is no longer active.');
      expect((await world.driver.manage('GET', `/admin/partners/${id}`)).active).toBe(false);
      await page.unrouteAll();
    });

    it('switches a promotion off by a repeated press, although the list already shows the promotion as not active', async () => {
      const id = await idOf();
      const code = `OFF${Date.now()}`;
      await world.driver.manage('POST', `/admin/partners/${id}/promotions`, { code, percentOff: 20 });
      const page = world.manager;
      await world.driver.goTo(page, `/partners/${id}?tab=promotions`);
      await press(page, 'Switch off');
      await loseAnswer(page, 'PATCH', /^\/admin\/promotions\//);
      await confirm(page, 'Switch off');
      await text(page, 'The server did not answer.');
      await comeBackUntilLoaded(world.driver, page, new RegExp(`/${id}/promotions$`));
      await page.getByRole('cell', { name: 'Not active', includeHidden: true }).waitFor();
      expect(await page.getByRole('dialog').getByText('Switch on').count()).toBe(0);
      await confirm(page, 'Switch off');
      await text(page, 'The promotion was changed.');
      const { items } = await world.driver.manage('GET', `/admin/partners/${id}/promotions`);
      expect(items).toMatchObject([{ code, active: false }]);
      await page.unrouteAll();
    });

    it('says that a token may have a successor, and lists the successor behind the dialog', async () => {
      const { id } = await world.driver.partner();
      const page = world.manager;
      await world.driver.goTo(page, `/partners/${id}?tab=tokens`);
      await press(page, 'Rotate');
      await loseAnswer(page, 'POST', /\/rotate$/);
      await confirm(page, 'Rotate');
      await text(page, 'The successor may have been issued, and cannot be shown again.');
      const { items } = await world.driver.manage('GET', `/admin/partners/${id}/tokens`);
      const successor = items.find(({ replacedBy }) => replacedBy === null);
      expect(items).toHaveLength(2);
      await page.getByRole('cell', { name: successor.last4, includeHidden: true }).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      // The old token has a successor, so only the successor can be rotated.
      await page.getByRole('row', { name: successor.last4 }).getByRole('button', { name: 'Rotate' }).waitFor();
      expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(1);
      await page.unrouteAll();
    });

    it('says that a partner may have been added, and lists the partner behind the dialog', async () => {
      const name = `Added ${Date.now()}`;
      const page = world.manager;
      await world.driver.goTo(page, '/partners');
      await press(page, 'Add a partner');
      await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
      await loseAnswer(page, 'POST', /^\/admin\/partners$/);
      await confirm(page, 'Add a partner');
      await text(page, 'The partner may have been added. Check the list before you try again.');
      await page.getByRole('cell', { name, includeHidden: true }).waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.unrouteAll();
    });

    it('does not send an endpoint again that is already stored, and says that its secret cannot be shown again', async () => {
      const shop = { id: await idOf() };
      const page = await world.driver.openPortal(shop);
      const sent = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (request.method() === 'POST' && POSTBACK.test(pathname)) sent.push(pathname);
      });
      await setUpWithLostAnswer(page);
      await confirm(page, 'Set up the endpoint');
      await text(page, 'Its signing secret cannot be shown again.');
      expect(sent).toHaveLength(1);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'New signing secret' }).waitFor();
      await world.driver.close(page);
    });

    it('sends nothing while the stored endpoint cannot be loaded, and later says that the secret cannot be shown again', async () => {
      const page = await world.driver.openPortal({ id: await idOf() });
      await setUpWithLostAnswer(page);
      let sent = 0;
      const isOfEndpoint = (url) => POSTBACK.test(url.pathname);
      const fail = (route) => {
        if (route.request().method() !== 'GET') sent += 1;
        return route.fulfill({ status: 503, json: {} });
      };
      await page.route(isOfEndpoint, fail);
      const refused = page.waitForResponse((response) => response.status() === 503);
      await confirm(page, 'Set up the endpoint');
      await refused;
      await page.getByRole('dialog').getByRole('button', { name: 'Set up the endpoint' }).waitFor();
      await page.unroute(isOfEndpoint, fail);
      await confirm(page, 'Set up the endpoint');
      await text(page, 'Its signing secret cannot be shown again.');
      expect(sent).toBe(0);
      await world.driver.close(page);
    });
  });

  describe('for a partner whose endpoint is changed while a dialog is open', () => {
    it('sends nothing, and reports this, when another program has saved the endpoint', async () => {
      const shop = await world.driver.partner();
      const state = () => world.driver.manage('GET', `/admin/partners/${shop.id}/postback?environment=live`);
      const page = await world.driver.openPortal(shop);
      await world.driver.goTo(page, '/my/endpoint');
      await press(page, 'Change the endpoint');
      const other = `${world.driver.stack.sandbox.endpoints}/${shop.inbox}-other`;
      await world.driver.setEndpoint(shop, other);
      // The page does not show the change yet.
      await confirm(page, 'Change the endpoint');
      await text(page, 'Nothing was sent: after you opened this dialog, the endpoint was saved');
      expect((await state()).url).toBe(other);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await press(page, 'Change the endpoint');
      expect(await page.getByRole('textbox', { name: 'URL' }).inputValue()).toBe(other);
      await confirm(page, 'Change the endpoint');
      await text(page, 'The endpoint was saved.');
      await world.driver.close(page);
    });

    it('does not enable an endpoint that was disabled after the dialog was opened', async () => {
      const shop = await world.driver.partner();
      const state = async () =>
        (await world.driver.manage('GET', `/admin/partners/${shop.id}/postback?environment=live`)).status;
      const page = await world.driver.openPortal(shop);
      await world.driver.goTo(page, '/my/endpoint');
      await press(page, 'Change the endpoint');
      await world.driver.behave(shop, { status: 410 });
      await world.driver.sell(shop);
      await world.driver.eventually(async () => (await state()) === 'disabled');
      await comeBackUntilLoaded(world.driver, page, POSTBACK);
      await text(page, 'The endpoint is disabled: postbacks are held');
      await confirm(page, 'Change the endpoint');
      await text(page, 'Nothing was sent: after you opened this dialog, the endpoint was saved');
      expect(await state()).toBe('disabled');
      await world.driver.close(page);
    });
  });
}
