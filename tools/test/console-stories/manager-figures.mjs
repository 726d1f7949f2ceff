import { changeAnswers, MANAGER, text } from './pages.mjs';

/**
 * Tests the figures in several currencies. The tests change the answers, because the test stack makes no sales in these currencies.
 *
 * @param {any} world  the driver
 */
export function managerFigureStories(world) {
  describe('for a manager who reads figures', () => {
    it('shows the net amounts of all currencies if one of them differs from the gross amount of its currency', async () => {
      const page = await world.driver.signIn(MANAGER, '/nothing');
      await changeAnswers(page, '**/admin/statistics?*', (statistics) => {
        const [sold] = statistics.totals;
        const totals = sold && [
          { ...sold, currency: 'EUR', amount: '300.00', netAmount: '300.00' },
          { ...sold, currency: 'USD', amount: '200.00', netAmount: '150.00' },
        ];
        return { ...statistics, totals: totals ?? [] };
      });
      await world.driver.goTo(page, '/overview');
      await page
        .getByText(/^Net \$150/)
        .first()
        .waitFor();
      await page
        .getByText(/^Net €300/)
        .first()
        .waitFor();
      await world.driver.close(page);
    });

    it('names the currency of each place of the ranking, and shows no empty ranking', async () => {
      const page = await world.driver.signIn(MANAGER, '/nothing');
      let currencies = ['EUR', 'USD'];
      await changeAnswers(page, '**/admin/statistics/partners?*', ({ items, ...ranking }) => ({
        ...ranking,
        items: currencies.map((currency) => ({ ...items[0], currency })),
      }));
      await world.driver.goTo(page, '/overview?period=thisMonth');
      const ranking = page.getByRole('region', { name: 'Partners by net amount' });
      for (const currency of currencies) await ranking.getByRole('cell', { name: currency, exact: true }).waitFor();
      currencies = [];
      await world.driver.goTo(page, '/overview?period=last30Days');
      await text(page, 'No sales in this period');
      await page.getByRole('heading', { name: 'Partners by net amount' }).waitFor();
      expect(await ranking.count()).toBe(0);
      await world.driver.close(page);
    });
  });
}
