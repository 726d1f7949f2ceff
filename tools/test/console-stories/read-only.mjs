import { text } from './pages.mjs';

/** Tests the portal that a read-only link opens. @param {any} world  the driver */
export function readOnlyStories(world) {
  describe('for a partner with a read-only link', () => {
    it('says on each screen that the access is read-only, and suggests no action that this access does not allow', async () => {
      const shop = await world.driver.manage('POST', '/admin/partners', { name: 'A reader', kind: 'promotion' });
      const page = await world.driver.openPortal(shop, { readOnly: true });
      await text(page, 'You have read-only access.');
      await text(page, 'No postback is sent, and none can be sent again, until an endpoint is set up.');
      expect(await page.getByRole('link', { name: 'Go to the endpoint' }).count()).toBe(0);
      await world.driver.goTo(page, '/my/endpoint');
      await text(page, 'An endpoint is a URL of your own server.');
      await text(page, 'You have read-only access.');
      expect(await page.getByText('Send again').count()).toBe(0);
      await world.driver.close(page);
      const other = await world.driver.openPortal(shop);
      await other.getByRole('link', { name: 'Go to the endpoint' }).waitFor();
      expect(await other.getByText('read-only access').count()).toBe(0);
      await world.driver.close(other);
    });
  });
}
