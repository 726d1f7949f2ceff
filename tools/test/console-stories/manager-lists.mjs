import fs from 'node:fs';
import { changeAnswers, comeBack, confirm, MANAGER, press, text } from './pages.mjs';

/** Tests how managers search and export lists. @param {any} world  the driver, a partner, the oid of one of its sales, and a manager's window */
export function managerListStories(world) {
  describe('for a manager with lists', () => {
    it('finds a partner by a pasted token, which does not stay in the address', async () => {
      const { name, token } = await world.driver.partner();
      await world.driver.goTo(world.manager, '/partners');
      await world.manager.getByRole('textbox', { name: 'Part of the name' }).fill(token);
      await world.manager.waitForURL((url) => url.search === `?search=${token.slice(-4)}`);
      await world.manager.getByRole('link', { name: world.partner.name }).waitFor({ state: 'detached' });
      await world.manager.getByRole('link', { name }).waitFor();
    });

    it('explains a search that finds no sale, and shows the hint about totals only when nothing is searched for', async () => {
      await world.driver.goTo(world.manager, `/sales?search=${world.oid.slice(0, -1)}`);
      await text(world.manager, 'A sale id or a reference must match completely, including upper and lower case.');
      await text(world.manager, 'only by the status “No partner”');
      expect(await world.manager.getByRole('status', { name: 'Totals' }).count()).toBe(0);
      await world.driver.goTo(world.manager, '/sales?environment=live');
      await text(world.manager, 'Totals need an environment, a “From” day');
    });

    it('shows the totals of the partner that the manager chooses, and exports only its sales', async () => {
      const shop = await world.driver.partner(`A shop with totals ${Date.now()}`);
      await world.driver.sell(shop);
      const page = world.manager;
      const day = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
      await world.driver.goTo(page, `/sales?environment=live&from=${day}&search=${shop.name}`);
      await text(page, 'use the filter “Partner” for one partner');
      await page.getByRole('combobox', { name: 'Partner' }).fill(shop.name);
      await page.getByRole('option', { name: shop.name }).click();
      await page
        .getByRole('status', { name: 'Totals' })
        .getByText(/^1 sale that has qualified/)
        .waitFor();
      // The API does not accept a search text together with a partner.
      expect(await page.getByRole('textbox', { name: 'Full sale id or reference' }).count()).toBe(0);
      const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export as CSV')]);
      const rows = fs
        .readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\r\n');
      expect(rows.length).toBe(2);
    });

    it('shows while offline that the data is stale and that an action failed, and does not perform the action later', async () => {
      const { id, name } = await world.driver.partner();
      const stored = async () => (await world.driver.manage('GET', `/admin/partners/${id}`)).name;
      const page = await world.driver.signIn(MANAGER, `/partners/${id}?tab=settings`);
      const field = page.getByRole('textbox', { name: 'Name', exact: true });
      await field.fill('A renamed shop');
      await page.context().setOffline(true);
      await world.driver.eventually(async () => {
        await comeBack(page);
        return (await page.getByText('The latest data could not be loaded.').count()) > 0;
      });
      await press(page, 'Save');
      await text(page, 'The server did not answer.');
      const reloaded = page.waitForResponse((response) => response.url().endsWith(`/admin/partners/${id}`));
      await page.context().setOffline(false);
      await reloaded;
      await page.getByText('The latest data could not be loaded.').waitFor({ state: 'detached' });
      expect([await stored(), await field.inputValue()]).toEqual([name, 'A renamed shop']);
      await press(page, 'Save');
      await world.driver.eventually(async () => (await stored()) === 'A renamed shop');
      await world.driver.close(page);
    });

    it('rounds no amount, even in a currency that usually has no decimals', async () => {
      const page = await world.driver.signIn(MANAGER, '/nothing');
      await changeAnswers(page, '**/admin/sales?*', ({ items, ...list }) => ({
        ...list,
        items: items.map((sale) => ({ ...sale, amount: '1799.55', currency: 'JPY' })),
        totals: [{ currency: 'JPY', count: 1, amount: '1800.00' }],
      }));
      await world.driver.goTo(page, `/sales?search=${world.oid}`);
      await page.getByRole('row', { name: world.oid }).getByText('¥1,799.55', { exact: true }).waitFor();
      await page.getByRole('status', { name: 'Totals' }).getByText('¥1,800', { exact: true }).waitFor();
      await world.driver.close(page);
    });

    it('says for each sale, and before a decision about sales, whether they are live or test', async () => {
      const shop = await world.driver.partner();
      const emails = ['one@yopmail.com', 'two@yopmail.com'];
      const live = await world.driver.sell(shop, { email: emails[0] });
      const test = await world.driver.sell(shop, { email: emails[1] });
      const page = await world.driver.signIn(MANAGER, '/nothing');
      await changeAnswers(page, '**/admin/sales?*', ({ items, ...list }) => ({
        ...list,
        items: items.map((sale) => (sale.oid === test ? { ...sale, environment: 'test' } : sale)),
      }));
      for (const at of [`/sales?search=${shop.name}`, `/partners/${shop.id}?tab=sales`, '/held']) {
        await world.driver.goTo(page, at);
        await page.getByRole('row', { name: live }).getByText('Live', { exact: true }).waitFor();
        await page.getByRole('row', { name: test }).getByText('Test', { exact: true }).waitFor();
      }
      const dialog = page.getByRole('dialog');
      await page.getByRole('checkbox', { name: test }).check();
      await press(page, 'Release 1 sale');
      await dialog.getByText(new RegExp(`^Sale ${test}, .*, Test$`)).waitFor();
      await confirm(page, 'Cancel');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('checkbox', { name: live }).check();
      await press(page, 'Refuse 2 sales');
      await dialog.getByText('1 live, 1 test').waitFor();
      await confirm(page, 'Cancel');
      await world.driver.goTo(page, '/overview');
      await text(page, 'for a decision (live and test together)');
      await world.driver.manage('POST', '/admin/sales/decisions', { decision: 'refuse', oids: [live, test] });
      await world.driver.close(page);
    });

    it('exports the sales of the list as a file', async () => {
      await world.driver.goTo(world.manager, `/sales?search=${world.oid}`);
      // The previous story has left a list of several sales, including this one, on the screen. Waits until the list
      // has only this sale.
      await world.driver.eventually(async () => (await world.manager.locator('tbody tr').count()) === 1);
      const [file] = await Promise.all([world.manager.waitForEvent('download'), press(world.manager, 'Export as CSV')]);
      expect(file.suggestedFilename()).toBe('sales.csv');
      const [, ...rows] = fs
        .readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\r\n');
      expect(rows.map((row) => row.split(',')[0])).toEqual([world.oid]);
    });
  });
}
