import { createRequire } from 'node:module';
import { changeAnswers, focused, MANAGER, NARROW, settled, SUPPORT, text, WIDE } from './pages.mjs';

const { problemsOf } = createRequire(import.meta.url)('@tandem/testing');

/**
 * Tests that the screens are usable with a keyboard, a screen reader or a small screen.
 *
 * @param {any} world  the driver, a partner, the oid of one of its sales, and a manager's window
 */
export function accessibilityStories(world) {
  describe('is accessible', () => {
    const SCREENS = [
      '/overview',
      '/overview?period=last3Months&view=table',
      '/sales',
      '/held',
      '/partners',
      '/applications',
      '/audit',
      '/support',
      '/support-audit',
      '/nothing',
    ];
    const TABS = ['figures', 'sales', 'promotions', 'tokens', 'endpoint', 'deliveries', 'links', 'settings', 'audit'];
    const OF_PARTNER = [
      '/my/overview',
      '/my/overview?period=otherDays',
      '/my/sales',
      '/my/endpoint',
      '/my/deliveries',
      '/my/checkout',
      '/my/vouchers',
    ];

    /** Returns the tables whose values are visible only after scrolling sideways. */
    const cutOff = (page) =>
      page
        .getByRole('region')
        .evaluateAll((regions) =>
          regions.flatMap((region) => (region.scrollWidth > region.clientWidth ? [region.ariaLabel] : [])),
        );

    it.each([WIDE, NARROW])('on the screens of staff, $width px wide, $colorScheme', async (look) => {
      const page = await world.driver.signIn('Alex Admin', '/', look);
      const tabs = TABS.map((tab) => `/partners/${world.partner.id}?tab=${tab}`);
      const user = `/support/users/${encodeURIComponent(world.driver.stack.users.a.krn)}`;
      for (const at of [...SCREENS, user, ...tabs, `/sales/${world.oid}`]) {
        await world.driver.goTo(page, at);
        await settled(page);
        expect([at, await problemsOf(page), await cutOff(page)]).toEqual([at, [], []]);
      }
      await world.driver.close(page);
    });

    it.each([WIDE, NARROW])(
      'on the sign-in page and on the screens of a partner, $width px wide, $colorScheme',
      async (look) => {
        const signInPage = await world.driver.open('/', look);
        await settled(signInPage);
        expect(await problemsOf(signInPage)).toEqual([]);
        const page = await world.driver.openPortal(world.partner, { look });
        for (const at of [...OF_PARTNER, `/my/sales/${world.oid}`]) {
          await world.driver.goTo(page, at);
          await settled(page);
          expect([at, await problemsOf(page), await cutOff(page)]).toEqual([at, [], []]);
        }
        await world.driver.close(page);
        await world.driver.close(signInPage);
      },
    );

    it.each([WIDE, NARROW])(
      'in a list: shows each value of a held sale, and opens the sale by keyboard, $width px wide',
      async (look) => {
        const held = await world.driver.sell(world.partner, {
          email: `${Date.now()}@yopmail.com`,
          data4: 'x'.repeat(60),
        });
        const page = await world.driver.signIn(MANAGER, '/held', look);
        const row = page.getByRole('row', { name: held });
        await row.waitFor();
        const titles = await page.getByRole('columnheader').allTextContents();
        expect(titles).toEqual(['Select', 'Sold', 'Sale', 'Amount', 'Partner', 'Reference', 'Buyer', 'Why']);
        const cells = await row.getByRole('cell').all();
        const right = await Promise.all(
          cells.map(async (cell) => (await cell.boundingBox()).x + (await cell.boundingBox()).width),
        );
        expect(right.filter((edge) => edge <= look.width)).toHaveLength(titles.length);
        expect(await cutOff(page)).toEqual([]);
        await world.driver.focus(page, held);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: `Sale ${held}` }).waitFor();
        await world.driver.close(page);
      },
    );

    it.each([WIDE, NARROW])('in the audit of support, with every outcome, $width px wide', async (look) => {
      const page = await world.driver.signIn(SUPPORT, '/support', look);
      const at = new Date(Date.now() - 3_600_000).toISOString();
      const entry = { actor: 'agent-1', krn: 'krn:user:1', action: 'user.update', reason: 'The user called.' };
      const end = { details: {}, error: null, startedAt: at, finishedAt: at };
      const items = ['started', 'succeeded', 'refused', 'failed'].map((outcome) => ({
        ...entry,
        ...end,
        id: outcome,
        requestId: outcome,
        outcome,
      }));
      await changeAnswers(page, '**/idp/support/audit?*', (answer) => ({ ...answer, items }));
      await world.driver.goTo(page, '/support-audit');
      await text(page, 'Failed, may have taken effect');
      await settled(page);
      expect([await problemsOf(page), await cutOff(page)]).toEqual([[], []]);
      await world.driver.close(page);
    });

    it('by keyboard only: a manager finds a partner and creates a portal link', async () => {
      const page = await world.driver.signIn(MANAGER, '/partners');
      await page.getByRole('link', { name: world.partner.name }).waitFor();
      await page.locator('body').press('Tab');
      expect(await focused(page)).toBe('Skip to the content');
      await world.driver.focus(page, world.partner.name);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: world.partner.name }).waitFor();
      await world.driver.focus(page, 'Figures');
      for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name: 'Portal links', selected: true }).waitFor();
      await page.getByRole('button', { name: 'Create a portal link' }).waitFor();
      await world.driver.focus(page, 'Create a portal link');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await world.driver.focus(page, 'Create a portal link');
      await page.keyboard.press('Enter');
      const once = page.getByRole('dialog', { name: 'The portal link' });
      await once.getByText('It is shown only once').waitFor();
      // Escape does not close the dialog, because the link could not be shown again.
      await page.keyboard.press('Escape');
      await world.driver.focus(page, 'Close');
      // Waits for the link, not for the dialog: closing removes the link immediately, but the dialog only a moment later.
      await once.locator('code').waitFor();
      await page.keyboard.press('Enter');
      await once.waitFor({ state: 'detached' });
      await text(page, 'Not opened yet');
      await world.driver.close(page);
    });

    it('by keyboard only: a manager releases a held sale with a note', async () => {
      const held = await world.driver.sell(world.partner, { email: `${Date.now()}@yopmail.com` });
      const page = await world.driver.signIn(MANAGER, '/held');
      await page.getByRole('checkbox', { name: held }).waitFor();
      await world.driver.focus(page, `Select ${held}`);
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Release 1 sale' }).waitFor();
      await world.driver.focus(page, 'Release 1 sale', 'Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await world.driver.focus(page, 'Note');
      await page.keyboard.type('by keyboard');
      await world.driver.focus(page, 'Release 1 sale');
      await page.keyboard.press('Enter');
      await text(page, '1 sale was released.');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await world.driver.eventually(async () => (await focused(page)) === 'Held sales');
      const { items } = await world.driver.manage('GET', `/admin/audit?action=sale.released&entityId=${held}`);
      expect(items.map(({ after }) => after.holdNote)).toEqual(['by keyboard']);
      await world.driver.close(page);
    });
  });
}
