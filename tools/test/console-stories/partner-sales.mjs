import { changeAnswers, text } from './pages.mjs';

const DAY_MS = 86_400_000;

/** Tests the sales in the portal of a partner. @param {any} world  the driver, and a partner with the oid of one of its sales */
export function partnerSaleStories(world) {
  describe('for a partner with sales', () => {
    it('does not claim that a sale has no postback when it qualified before the oldest kept delivery', async () => {
      const page = await world.driver.openPortal(world.partner);
      const qualifiedAt = new Date(Date.now() - 91 * DAY_MS).toISOString();
      const age = (sale) => ({ ...sale, qualifiedAt, postback: null });
      await changeAnswers(page, '**/api/v2/partner/sales?*', ({ items, ...list }) => ({
        ...list,
        items: items.map(age),
      }));
      await changeAnswers(page, `**/api/v2/partner/sales/${world.oid}`, age);
      await world.driver.goTo(page, '/my/sales');
      const row = page.getByRole('row', { name: world.oid });
      await row.waitFor();
      expect(await row.getByText('No postback').count()).toBe(0);
      await row.getByRole('link', { name: world.oid }).click();
      await text(page, 'There is no postback, or it is older than 90 days and no longer kept.');
      await world.driver.close(page);
    });
  });
}
