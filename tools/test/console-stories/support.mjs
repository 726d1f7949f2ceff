import { confirm, press, SUPPORT, text } from './pages.mjs';

/** What support does. @param {any} world  the driver, and what the stories begin with */
export function supportStories(world) {
  describe('for support', () => {
    const EMAIL = `Jane.${Date.now()}@example.com`;

    it('finds a user by e-mail address, which no URL and no screen of the user contains', async () => {
      const { krn } = world.driver.stack.users.b;
      await world.driver.support('PATCH', krn, { ssn: '6789', emailAddress: EMAIL });
      const page = await world.driver.signIn(SUPPORT, '/');
      const urls = [];
      page.on('request', (request) => urls.push(request.url()));
      await page.getByRole('combobox', { name: 'Find by' }).selectOption('E-mail address');
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('nobody@example.com');
      await press(page, 'Show the user');
      await text(page, 'No user was found.');
      await page.getByRole('textbox', { name: 'E-mail address' }).fill(EMAIL.toLowerCase());
      await press(page, 'Show the user');
      await page.getByText(krn, { exact: true }).first().waitFor();
      await text(page, 'Locked out?');
      await page.getByRole('table').last().waitFor();
      expect(urls.filter((url) => /jane|example\.com/i.test(url))).toEqual([]);
      expect((await page.content()).toLowerCase()).not.toContain(EMAIL.toLowerCase());
      await world.driver.close(page);
    });

    it('finds a user by the id of a subscription', async () => {
      const { krn } = world.driver.stack.users.b;
      const { user } = await world.driver.support('GET', krn, undefined, '/story');
      const page = await world.driver.signIn(SUPPORT, '/');
      await page.getByRole('combobox', { name: 'Find by' }).selectOption('Subscription');
      await page.getByRole('textbox', { name: 'Subscription' }).fill(user.subscriptions[0].id);
      await press(page, 'Show the user');
      await page.getByText(krn, { exact: true }).first().waitFor();
      await world.driver.close(page);
    });

    it('shows a user without personal data, unlocks and erases it with a reason, and shows the trail and the receipt', async () => {
      const { krn } = world.driver.stack.users.b;
      const page = await world.driver.signIn(SUPPORT, '/');
      await page.getByRole('textbox', { name: 'KRN' }).fill('nonsense');
      await press(page, 'Show the user');
      await text(page, 'A KRN looks like');
      await page.getByRole('textbox', { name: 'KRN' }).fill(krn);
      await press(page, 'Show the user');
      await text(page, 'Locked out?');
      await press(page, 'Unlock the user');
      await confirm(page, 'Unlock the user');
      await text(page, 'Enter a reason.');
      await page.getByRole('textbox', { name: 'Reason' }).fill('case 8');
      await confirm(page, 'Unlock the user');
      await text(page, 'The user is unlocked.');
      const trail = page.getByRole('region', { name: 'Trail of the user' });
      await trail.getByRole('row', { name: 'user.unlock case 8 Done' }).waitFor();
      await press(page, 'Erase the user');
      await page.getByRole('textbox', { name: 'Reason' }).fill('case 9');
      await confirm(page, 'Erase the user');
      await text(page, 'This is not the KRN of the user.');
      await page.getByRole('textbox', { name: 'Enter the KRN to confirm' }).fill(krn);
      await confirm(page, 'Erase the user');
      await text(page, `Erased ${krn} at`);
      await page.getByRole('region', { name: 'Receipts of erasure' }).getByRole('cell', { name: 'case 9' }).waitFor();
      await trail.getByRole('row', { name: 'user.delete case 9 Done' }).waitFor();
      await world.driver.close(page);
    });

    it('lists the actions of support by person, by action and by day', async () => {
      const { krn } = world.driver.stack.users.a;
      await world.driver.support('POST', krn, undefined, '/enrollment-sync').catch(() => undefined);
      const page = await world.driver.signIn(SUPPORT, '/');
      await page.getByRole('link', { name: 'Support audit' }).click();
      const list = page.getByRole('region', { name: 'Support audit' });
      await list.getByRole('cell', { name: 'user.sync' }).first().waitFor();
      await page.getByRole('combobox', { name: 'Action' }).selectOption('Synchronize');
      await list.getByRole('cell', { name: 'audit.read' }).first().waitFor({ state: 'detached' });
      await list.getByRole('link', { name: krn }).first().waitFor();
      await page.getByRole('textbox', { name: 'Who (subject)' }).fill('nobody');
      await text(page, 'No actions');
      await press(page, 'Clear the filters');
      await page.getByLabel('To', { exact: true }).fill('2020-01-01');
      await text(page, 'No actions');
      await world.driver.close(page);
    });

    it('shows nothing to a user without rights, and names who grants them', async () => {
      const page = await world.driver.signIn('Nora Newcomer');
      await text(page, 'You have no rights here yet');
      await world.driver.goTo(page, '/sales').catch(() => undefined);
      await text(page, 'partner:manage');
      await world.driver.close(page);
    });
  });
}
