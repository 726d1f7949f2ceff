import { confirm, press, text } from './pages.mjs';

/** Tests the voucher partners and voucher groups, as a manager sees them. @param {any} world  the driver and a manager's window */
export function managerVoucherStories(world) {
  describe('for a manager of voucher partners', () => {
    it('asks for no revocation period of a voucher partner, and says before a deactivation that the partner has no valid token', async () => {
      await world.driver.goTo(world.manager, '/partners');
      await press(world.manager, 'Add a partner');
      const dialog = world.manager.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Revocation period' }).waitFor();
      await dialog.getByText('Voucher', { exact: true }).click();
      await dialog.getByRole('textbox', { name: 'Revocation period' }).waitFor({ state: 'detached' });
      await dialog.getByText('The partner creates coupons from the voucher groups that you add.').waitFor();
      await dialog.getByRole('textbox', { name: 'Name' }).fill('A new voucher shop');
      await confirm(world.manager, 'Add a partner');
      await world.manager.getByRole('heading', { name: 'A new voucher shop' }).waitFor();
      await world.manager.getByRole('tab', { name: 'Settings' }).click();
      await press(world.manager, 'Deactivate the partner');
      await text(world.manager, 'The partner has no valid token');
      await world.manager.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    });

    it('adds a voucher group, and shows the errors of the API next to the fields', async () => {
      const { id } = await world.driver.manage('POST', '/admin/partners', { name: 'A voucher shop', kind: 'voucher' });
      await world.driver.goTo(world.manager, `/partners/${id}?tab=vouchers`);
      await text(world.manager, 'No voucher groups');
      await press(world.manager.getByRole('tabpanel'), 'Add a voucher group');
      const dialog = world.manager.getByRole('dialog');
      await confirm(world.manager, 'Add a voucher group');
      await dialog.getByText('Enter a name.').waitFor();
      await dialog.getByText('Enter a product.').waitFor();
      await dialog
        .locator(':focus')
        .and(dialog.getByRole('textbox', { name: 'Name of the group' }))
        .waitFor();
      await dialog.getByRole('textbox', { name: 'Name of the group' }).fill('Spring campaign');
      await dialog.getByRole('textbox', { name: 'Product', exact: true }).fill('Advanced, 1 year');
      await dialog.getByRole('textbox', { name: 'Tier of the product' }).fill('advanced');
      await dialog.getByRole('textbox', { name: 'Currency' }).fill('eur');
      await dialog.getByRole('textbox', { name: 'Total number of coupons' }).fill('250');
      await dialog.getByLabel('Last day').fill('2020-01-01');
      await confirm(world.manager, 'Add a voucher group');
      await dialog.getByText('The last day must not be before the first day.').waitFor();
      expect(await world.manager.getByText('Something went wrong').count()).toBe(0);
      await dialog.getByLabel('Last day').fill('2100-12-31');
      await confirm(world.manager, 'Add a voucher group');
      await world.manager.getByRole('row', { name: 'Spring campaign Advanced, 1 year, 12 months Live' }).waitFor();
      const { items } = await world.driver.manage('GET', `/admin/partners/${id}/voucher-groups`);
      const product = { name: 'Advanced, 1 year', tier: 'advanced', periodMonths: 12 };
      expect(items).toMatchObject([
        { name: 'Spring campaign', product, currency: 'EUR', stock: 250, status: 'active' },
      ]);
      expect(Date.parse(items[0].validUntil)).toBeGreaterThan(Date.parse('2100-12-31'));
    });

    it('refuses an incomplete date and a year of five digits, which would give a voucher group no end', async () => {
      const { id } = await world.driver.manage('POST', '/admin/partners', { name: 'A voucher shop', kind: 'voucher' });
      const groups = async () => (await world.driver.manage('GET', `/admin/partners/${id}/voucher-groups`)).items;
      await world.driver.goTo(world.manager, `/partners/${id}?tab=vouchers`);
      await text(world.manager, 'No voucher groups');
      await press(world.manager.getByRole('tabpanel'), 'Add a voucher group');
      const dialog = world.manager.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Name of the group' }).fill('Summer campaign');
      await dialog.getByRole('textbox', { name: 'Product', exact: true }).fill('Advanced, 1 year');
      const lastDay = dialog.getByLabel('Last day');
      const invalid = dialog.getByText('Enter a complete date from 2000 to 9998, or clear the field.');
      await lastDay.press('1');
      expect(await lastDay.evaluate(({ value, validity }) => [value, validity.badInput])).toEqual(['', true]);
      await confirm(world.manager, 'Add a voucher group');
      await invalid.waitFor();
      await lastDay.fill('2100-12-31');
      await invalid.waitFor({ state: 'detached' });
      await lastDay.fill('21001-12-31');
      await confirm(world.manager, 'Add a voucher group');
      await invalid.waitFor();
      expect(await groups()).toEqual([]);
      await lastDay.fill('2100-12-31');
      await confirm(world.manager, 'Add a voucher group');
      await world.manager.getByRole('row', { name: 'Summer campaign' }).waitFor();
      expect((await groups()).map(({ validUntil }) => new Date(validUntil).getFullYear())).toEqual([2101]);
    });
  });
}
