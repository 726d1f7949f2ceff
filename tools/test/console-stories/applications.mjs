import { requestJson } from '../../stack/http.mjs';
import { changeAnswers, confirm, focused, MANAGER, press, text } from './pages.mjs';

/**
 * Tests the screens on which a manager decides applications.
 *
 * @param {any} world  the driver, a partner, the oid of one of its sales, and a manager's window
 */
export function applicationStories(world) {
  describe('for a manager who decides applications', () => {
    const apply = async (companyName) => {
      const body = {
        companyName,
        email: `owner-${Date.now()}@example.com`,
        kind: 'promotion',
        message: '<b>Hello</b>',
      };
      const url = `${world.driver.stack.baseUrl}/api/v2/partner-applications`;
      const { status } = await requestJson('POST', url, { body });
      expect(status).toBe(202);
    };

    it('shows an application on the overview, and a partner after its approval', async () => {
      const company = `Applied ${Date.now()}`;
      await apply(company);
      await world.driver.goTo(world.manager, '/overview');
      await text(world.manager, '1 application waits for a decision');
      await world.manager.getByRole('link', { name: '1 application waits for a decision' }).click();
      await text(world.manager, '<b>Hello</b>');
      await press(world.manager, 'Approve');
      await world.manager.getByRole('dialog', { name: `Approve the application of ${company}` }).waitFor();
      await confirm(world.manager, 'Approve');
      // Matches the exact name, because the title of the dialog also contains the name.
      await world.manager.getByRole('heading', { name: company, exact: true }).waitFor();
      await world.driver.goTo(world.manager, '/partners');
      await world.manager.getByRole('link', { name: company }).waitFor();
    });

    it('says where companies can apply if there are no applications, and says when no application matches a filter', async () => {
      const page = await world.driver.signIn(MANAGER);
      await changeAnswers(page, '**/admin/applications?*', (list) => ({ ...list, items: [], nextCursor: null }));
      await world.driver.goTo(page, '/applications');
      await text(page, 'Companies apply through your website');
      await text(page, 'This is switched off by default');
      expect(await page.getByRole('button', { name: 'Clear the filters' }).count()).toBe(0);
      await world.driver.goTo(page, '/applications?status=rejected');
      await text(page, 'No applications match the filter');
      await world.driver.close(page);
    });

    it('rejects an application with a note', async () => {
      await apply(`Rejected ${Date.now()}`);
      // Opens a new window, because a window that has shown the list before shows cached rows at first.
      const page = await world.driver.signIn(MANAGER, '/applications?status=pending');
      await press(page, 'Reject');
      await page.getByRole('textbox', { name: 'Note' }).fill('No website');
      await confirm(page, 'Reject');
      await text(page, 'No applications');
      await world.driver.eventually(async () => (await focused(page)) === 'Applications');
      await world.driver.goTo(page, '/applications?status=rejected');
      await text(page, 'No website');
      await world.driver.close(page);
    });
  });
}
