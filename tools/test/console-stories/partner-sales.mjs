import { changeAnswers, comeBack, press, text } from './pages.mjs';

const DAY_MS = 86_400_000;

/** Tests the sales in the portal of a partner. @param {any} world  the driver, and a partner with the oid of one of its sales */
export function partnerSaleStories(world) {
  describe('for a partner with sales', () => {
    it('says that a later page is empty, not that nothing was found, when its sales have left the list', async () => {
      const shop = await world.driver.partner('A shop with held sales');
      const older = await world.driver.sell(shop, { email: 'one@yopmail.com' });
      const newer = await world.driver.sell(shop, { email: 'two@yopmail.com' });
      const page = await world.driver.openPortal(shop);
      await page.route('**/api/v2/partner/sales?*', (route) =>
        route.continue({ url: route.request().url().replace('limit=50', 'limit=1') }),
      );
      await world.driver.goTo(page, '/my/sales?status=held');
      await page.getByRole('link', { name: newer }).waitFor();
      await press(page, 'Older');
      await page.getByRole('link', { name: older }).waitFor();
      await world.driver.manage('POST', '/admin/sales/decisions', { decision: 'refuse', oids: [older] });
      await world.driver.eventually(async () => {
        await comeBack(page);
        return (await page.getByRole('link', { name: older }).count()) === 0;
      });
      await text(page, 'This page is empty');
      expect(await page.getByText('No sales match the filters').count()).toBe(0);
      await press(page, 'Go to the first page');
      await page.getByRole('link', { name: newer }).waitFor();
      await world.driver.close(page);
    });

    it('names an exported file after its period, and reports that there are no sales instead of saving an empty file', async () => {
      const page = await world.driver.openPortal(world.partner);
      const files = [];
      page.on('download', (file) => files.push(file.suggestedFilename()));
      await world.driver.goTo(page, '/my/sales?from=2100-01-01&to=2100-01-31');
      await text(page, 'No sales match the filters');
      await press(page, 'Export as CSV');
      await text(page, 'No file was saved: there are no sales in this period');
      await world.driver.goTo(page, '/my/sales?from=2020-01-01&to=2100-01-31');
      await page.getByRole('link', { name: world.oid }).waitFor();
      await Promise.all([page.waitForEvent('download'), press(page, 'Export as CSV')]);
      await text(page, 'The export was saved.');
      expect(files).toEqual(['sales-2020-01-01-to-2100-01-31.csv']);
      await world.driver.close(page);
    });

    it('does not claim that a sale has no postback when the sale qualified before the oldest stored delivery', async () => {
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
