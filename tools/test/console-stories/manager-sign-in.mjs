import { MANAGER, press, text } from './pages.mjs';

/** The addresses at which the sandbox's provider begins a sign-in. */
const AUTHORIZATION = '**/issuer/service/auth?*';

/** Opens a manager's window whose session ends and cannot be renewed, while the list of partners loads. */
async function expire(world) {
  const page = await world.driver.signIn(MANAGER, '/partners');
  await page.route('**/issuer/service/token', (route) =>
    route.fulfill({ status: 400, json: { error: 'invalid_grant' } }),
  );
  let refused = false;
  await page.route('**/admin/partners?*', (route) => {
    if (refused) return route.continue();
    refused = true;
    return route.fulfill({ status: 401, json: {} });
  });
  await page.getByRole('textbox', { name: 'Part of the name' }).fill('Corner');
  await text(page, 'Your session has ended');
  await page.unroute('**/issuer/service/token');
  return page;
}

/** Signs in again in a separate window, in which the provider asks for no input, and waits until the window closes. */
export async function signInAgain(page) {
  // The window can close before the click returns, so the wait for its end begins before the click.
  const closed = page.waitForEvent('popup').then((popup) => popup.isClosed() || popup.waitForEvent('close'));
  await Promise.all([closed, press(page, 'Sign in again')]);
}
/** Tests the sign-in of a manager. @param {any} world  the driver and a partner */
export function managerSignInStories(world) {
  describe('for a manager who signs in', () => {
    it('asks the manager to sign in again in a separate window when the session cannot be renewed', async () => {
      const page = await expire(world);
      await signInAgain(page);
      await page.getByRole('link', { name: world.partner.name }).waitFor();
      await world.driver.close(page);
    });

    it('opens another window when the manager has closed the window of the sign-in, or left it open', async () => {
      const page = await expire(world);
      const context = page.context();
      await context.route(AUTHORIZATION, (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Who</h1>' }));
      const open = async () => {
        const [popup] = await Promise.all([page.waitForEvent('popup'), press(page, 'Sign in again')]);
        await popup.getByRole('heading', { name: 'Who' }).waitFor();
        return popup;
      };
      await (await open()).close();
      const left = await open();
      await Promise.all([left.waitForEvent('close'), open()]);
      expect(await page.getByText('Something went wrong').count()).toBe(0);
      await context.unroute(AUTHORIZATION);
      await signInAgain(page);
      await page.getByRole('link', { name: world.partner.name }).waitFor();
      await world.driver.close(page);
    });

    it('signs in again in a window that the provider has separated from its opener', async () => {
      const page = await expire(world);
      // This is the effect of a page of the provider with the header Cross-Origin-Opener-Policy: same-origin.
      await page.context().addInitScript(() => {
        if (location.pathname.endsWith('/signed-in')) window.opener = null;
      });
      await signInAgain(page);
      await page.getByRole('link', { name: world.partner.name }).waitFor();
      await world.driver.close(page);
    });

    it('signs in in a tab that another page has opened', async () => {
      const other = await world.driver.open('/nothing');
      const opened = other.waitForEvent('popup');
      await other.evaluate((url) => void window.open(url), `${world.driver.url}/partners`);
      const tab = await opened;
      await press(tab, 'Sign in');
      await tab.getByRole('link', { name: MANAGER }).click();
      await tab.getByRole('button', { name: 'Sign out' }).waitFor();
      await world.driver.close(other);
    });
  });
}
