import { comeBack, confirm, loseAnswer, press, text } from './pages.mjs';

/** Tests actions whose answer got lost. @param {any} world  the driver and a manager's window */
export function lostAnswerStories(world) {
  describe('when the answer to an action got lost', () => {
    const idOf = async (settings = {}) =>
      (await world.driver.manage('POST', '/admin/partners', { name: 'A shop', kind: 'promotion', ...settings })).id;

    it('deactivates a partner by a repeated press, although the page already shows the partner as not active', async () => {
      const id = await idOf();
      const path = new RegExp(`^/admin/partners/${id}$`);
      const page = world.manager;
      await world.driver.goTo(page, `/partners/${id}?tab=settings`);
      await press(page, 'Deactivate the partner');
      await loseAnswer(page, 'PATCH', path);
      await confirm(page, 'Deactivate the partner');
      await text(page, 'The server did not answer.');
      await comeBack(world.driver, page, path);
      await text(page, 'Not active');
      expect(await page.getByRole('dialog').getByText('Activate the partner').count()).toBe(0);
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
      await comeBack(world.driver, page, new RegExp(`/${id}/promotions$`));
      await page.getByRole('cell', { name: 'Not active', includeHidden: true }).waitFor();
      expect(await page.getByRole('dialog').getByText('Switch on').count()).toBe(0);
      await confirm(page, 'Switch off');
      await text(page, 'The promotion was changed.');
      const { items } = await world.driver.manage('GET', `/admin/partners/${id}/promotions`);
      expect(items).toMatchObject([{ code, active: false }]);
      await page.unrouteAll();
    });
  });
}
