import { changeAnswers, comeBackUntilLoaded, MANAGER, press, text } from './pages.mjs';

/** The longest time until a page shows that its pending postback was delivered, in ms. A page without pending postbacks refreshes itself every 15 s. */
const SOON_MS = 8_000;
/** The longest time until the overview shows that the postbacks to an endpoint fail, in ms. */
const ATTENTION_MS = 60_000;

/** Tests how pages show a postback that fails and is retried. @param {any} world  the driver, a partner, and a manager's window */
export function failingPostbackStories(world) {
  describe('while a postback fails', () => {
    it('says to the partner and to the manager that the postback is failing and will be retried', async () => {
      const shop = await world.driver.partner('A shop that is down');
      await world.driver.behave(shop, { status: 503 });
      const sold = await world.driver.sell(shop);
      const deliveries = `/admin/partners/${shop.id}/deliveries?oid=${sold}`;
      // Waits for the second attempt. The third one is made minutes later, so the state does not change during this test.
      await world.driver.eventually(async () => {
        const { items } = await world.driver.manage('GET', deliveries);
        return items[0]?.attempts.length >= 2;
      });
      const page = await world.driver.openPortal(shop);
      await text(page, '1 postback is failing and will be retried.');
      await page.getByRole('link', { name: 'Show it' }).click();
      expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('failing');
      const row = page.getByRole('row', { name: sold });
      await row.getByText('Failing, will be retried').waitFor();
      await row.getByText('The server reported an error (503)').waitFor();
      await row.getByRole('button', { name: /^Attempts/ }).click();
      await page.getByRole('dialog').getByText('Show this to the developer of the endpoint.').waitFor();
      await world.driver.goTo(page, '/my/endpoint');
      await text(page, '1 postback is failing and will be retried.');
      await world.driver.goTo(page, '/my/deliveries?status=failed');
      await text(page, 'No failed postbacks');
      await text(page, 'Postbacks that will still be retried are listed under “Failing, will be retried”.');
      await world.driver.goTo(page, '/my/sales');
      await page.getByRole('row', { name: sold }).getByText('Failing, will be retried').waitFor();
      await page.getByRole('link', { name: sold }).click();
      await page.getByRole('heading', { name: 'The postback' }).waitFor();
      await text(page, 'Failing, will be retried');
      await page.locator('dl').getByText('The server reported an error (503)', { exact: true }).waitFor();
      await world.driver.close(page);
      const overview = await world.driver.signIn(MANAGER, '/overview');
      const matter = overview.getByRole('link', {
        name: 'The live endpoint of A shop that is down does not accept postbacks: 1 postback is failing',
      });
      await matter.waitFor({ timeout: ATTENTION_MS });
      await world.driver.goTo(world.manager, `/partners/${shop.id}?tab=deliveries`);
      await world.manager.getByRole('row', { name: sold }).getByText('Failing, will be retried').waitFor();
      await world.manager.getByRole('combobox', { name: 'Status' }).selectOption('Failing, will be retried');
      await world.manager.waitForURL((url) => url.searchParams.get('status') === 'failing');
      await world.manager.getByRole('row', { name: sold }).waitFor();
      await world.driver.behave(shop, { status: 200 });
      await press(world.manager, 'Send again');
      await world.manager.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
      await text(world.manager, 'No failing postbacks');
      await press(world.manager, 'Clear the filters');
      await world.manager.getByRole('row', { name: sold }).getByText('Delivered', { exact: true }).waitFor();
      await comeBackUntilLoaded(world.driver, overview, /\/attention$/);
      await matter.waitFor({ state: 'detached' });
      await world.driver.close(overview);
      const other = await world.driver.openPortal(shop);
      await text(other, '1 delivered');
      await text(other, 'First attempts of postbacks took');
      await other.waitForLoadState('networkidle');
      expect(await other.getByText('is failing').count()).toBe(0);
      await world.driver.close(other);
    });

    it('shows on the pages of a sale, a few seconds later, that a pending postback was delivered', async () => {
      let isPending = true;
      const ahead = new Date(Date.now() + 60_000).toISOString();
      const pending = { status: 'pending', deliveredAt: null, nextAttemptAt: ahead };
      const page = await world.driver.openPortal(world.partner);
      await changeAnswers(page, `**/api/v2/partner/sales/${world.oid}`, (sale) =>
        isPending ? { ...sale, postback: { ...sale.postback, ...pending } } : sale,
      );
      await world.driver.goTo(page, `/my/sales/${world.oid}`);
      await text(page, 'Failing, will be retried');
      await changeAnswers(world.manager, '**/story', (story) =>
        isPending ? { ...story, verdict: 'failing', delivery: { ...story.delivery, ...pending } } : story,
      );
      await world.driver.goTo(world.manager, `/sales/${world.oid}`);
      await text(world.manager, 'The last attempt failed');
      isPending = false;
      await Promise.all([
        page.locator('dl').getByText('Delivered', { exact: true }).first().waitFor(),
        page.getByText('Failing, will be retried').waitFor({ state: 'detached', timeout: SOON_MS }),
        world.manager.getByText('The postback was delivered.').waitFor({ timeout: SOON_MS }),
      ]);
      await world.manager.unrouteAll({ behavior: 'ignoreErrors' });
      await world.driver.close(page);
    });
  });
}
