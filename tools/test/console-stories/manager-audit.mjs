import { confirm, MANAGER, press, text } from './pages.mjs';

/** Tests the audit, as a manager sees it. @param {any} world  the driver, a partner, and a manager's window */
export function managerAuditStories(world) {
  describe('for a manager who reads the audit', () => {
    it('filters the audit by an action and a partner, which the manager searches by their names', async () => {
      const name = `Sought ${Date.now()}`;
      const { id } = await world.driver.partner(name);
      await world.driver.goTo(world.manager, '/audit');
      const rows = world.manager.getByRole('region', { name: 'Audit' }).locator('tbody tr');
      await world.manager.getByRole('combobox', { name: 'Partner' }).fill(name);
      await world.manager.getByRole('option', { name }).click();
      await world.driver.eventually(async () => (await rows.count()) === 5);
      // The partner itself has saved its endpoint, so the entry names the token of the partner.
      await rows.filter({ hasText: 'postback.saved' }).getByText('token:tok_').waitFor();
      expect(await rows.getByRole('link', { name, exact: true }).count()).toBe(5);
      expect(await world.manager.getByRole('textbox', { name: 'Id of the object' }).count()).toBe(0);
      await world.manager.getByRole('combobox', { name: 'Action' }).fill('endpoint');
      await world.manager.getByRole('option', { name: 'Endpoint saved' }).waitFor();
      await world.manager.getByRole('combobox', { name: 'Action' }).fill('promotion cr');
      await world.manager.getByRole('option', { name: 'Promotion created' }).click();
      await world.driver.eventually(async () => (await rows.count()) === 1);
      await rows.getByText('promotion.created').waitFor();
      const filters = new URL(world.manager.url()).searchParams;
      expect([filters.get('partnerId'), filters.get('action')]).toEqual([id, 'promotion.created']);
      await press(world.manager, 'Clear the filters');
      await world.driver.eventually(async () => (await rows.count()) > 5);
      expect(await world.manager.getByRole('combobox', { name: 'Partner' }).inputValue()).toBe('');
    });

    it('filters by a person when the manager presses the person’s id, and explains that a part of an id finds nothing', async () => {
      await world.driver.goTo(world.manager, '/audit');
      await world.manager.getByRole('textbox', { name: 'Id of the person' }).fill('mia');
      await text(world.manager, 'A name or a part of the id finds nothing.');
      await press(world.manager, 'Clear the filters');
      const person = world.manager
        .locator('tbody td:nth-child(2) button:not([aria-label])')
        .filter({ hasNotText: /^You$/ })
        .first();
      const actor = await person.textContent();
      await world.driver.focus(world.manager, actor);
      await world.manager.getByRole('tooltip', { name: 'List only the actions of this person' }).waitFor();
      await person.click();
      await world.manager.waitForURL((url) => url.searchParams.get('actor') === actor);
      await world.manager.getByRole('cell', { name: actor }).first().waitFor();
    });

    it('calls the manager “You”, and lists only the actions of the manager', async () => {
      const { id } = await world.driver.partner('A shop of two managers');
      const page = await world.driver.signIn(MANAGER, `/partners/${id}?tab=links`);
      await press(page, 'Create a portal link');
      await confirm(page, 'Create a portal link');
      await page.getByRole('dialog', { name: 'The portal link' }).getByRole('button', { name: 'Close' }).click();
      await page.getByRole('cell', { name: 'You', exact: true }).waitFor();
      await world.driver.goTo(page, `/audit?partnerId=${id}`);
      const rows = page.getByRole('region', { name: 'Audit' }).locator('tbody tr');
      await rows.filter({ hasText: 'partner.created' }).getByRole('button', { name: 'Copy', exact: true }).waitFor();
      await page.getByRole('switch', { name: 'Only mine' }).focus();
      await page.keyboard.press('Space');
      await world.driver.eventually(async () => (await rows.count()) === 1);
      await rows.filter({ hasText: 'portal_link.created' }).getByText('You', { exact: true }).waitFor();
      const isFocused = page.getByRole('switch', { name: 'Only mine', checked: true });
      expect(await isFocused.evaluate((one) => one === document.activeElement)).toBe(true);
      await page.keyboard.press('Space');
      await world.driver.eventually(async () => (await rows.count()) > 1);
      await world.driver.close(page);
    });

    it('says that a partner was deactivated, and shows only what was changed, in the words of the form', async () => {
      const { id, name } = await world.driver.partner('A shop to change');
      const partner = `/admin/partners/${id}`;
      await world.driver.manage('PATCH', partner, { revokeWindowDays: 10, endpointLimits: { concurrency: 3 } });
      for (const active of [false, true]) await world.driver.manage('PATCH', partner, { active });
      await world.driver.goTo(world.manager, `/audit?partnerId=${id}&action=partner.changed`);
      const rows = world.manager.getByRole('region', { name: 'Audit' }).locator('tbody tr');
      await rows.filter({ hasText: 'Partner activated' }).waitFor();
      const dialog = world.manager.getByRole('dialog');
      const shown = dialog.getByRole('row');
      await rows.filter({ hasText: 'Partner deactivated' }).getByRole('button', { name: 'Show' }).click();
      await dialog.getByText(`Name: ${name}`).waitFor();
      await dialog.getByRole('row', { name: 'Active Yes No' }).waitFor();
      // Two rows: the header, and the only field that was changed.
      expect(await shown.count()).toBe(2);
      await world.manager.keyboard.press('Escape');
      await rows.filter({ hasText: 'Partner changed' }).getByRole('button', { name: 'Show' }).click();
      await dialog.getByRole('row', { name: 'Revocation period (days after purchase) 30 10' }).waitFor();
      await dialog.getByRole('row', { name: 'Maximum concurrent requests to each endpoint – 3' }).waitFor();
      expect(await shown.count()).toBe(3);
      await world.manager.keyboard.press('Escape');
    });

    it('shows the previous values of a saved endpoint only if they are known', async () => {
      const shop = await world.driver.partner();
      const save = (name) => world.driver.setEndpoint(shop, `${world.driver.stack.sandbox.endpoints}/${name}`);
      const showNewest = async (filters = '') => {
        await world.driver.goTo(world.manager, '/nothing');
        await world.driver.goTo(world.manager, `/audit?partnerId=${shop.id}${filters}`);
        const saved = world.manager.getByRole('row').filter({ hasText: 'postback.saved' }).first();
        await saved.getByRole('button', { name: 'Show' }).click();
        return world.manager.getByRole('dialog');
      };
      const leave = async (dialog) => {
        await world.manager.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      };
      await save('second');
      const known = await showNewest();
      await known.getByRole('row', { name: new RegExp(`^URL .*/${shop.inbox} .*/second$`) }).waitFor();
      // Three rows: the header, the URL and the key.
      expect(await known.getByRole('row').count()).toBe(3);
      await leave(known);
      await save('second');
      // This filter excludes nothing, but makes the page load the rows again instead of showing cached rows.
      const withKey = await showNewest('&to=2100-01-01');
      await withKey.getByRole('row', { name: 'A new key was given No Yes' }).waitFor();
      expect(await withKey.getByRole('row').count()).toBe(2);
      await leave(withKey);
      // This filter hides the saves of other persons, which may have come between the listed saves.
      const { items } = await world.driver.manage('GET', `/admin/partners/${shop.id}/tokens`);
      const filtered = await showNewest(`&actor=token:${items[0].id}`);
      await filtered.getByText('This entry does not show the values before the change.').waitFor();
      await filtered.getByRole('row', { name: /^URL – .*\/second$/ }).waitFor();
      await leave(filtered);
      // The audit lists the refused request without its result, so the page cannot know whether the request changed the endpoint.
      await expect(world.driver.setEndpoint(shop, 'https://nowhere.invalid/sales')).rejects.toThrow('no endpoint');
      await save('third');
      const unknown = await showNewest('&from=2020-01-01');
      await unknown.getByRole('row', { name: /^URL – .*\/third$/ }).waitFor();
      await leave(unknown);
    });

    it('links a change that was made with a token to this token, and shows the changed fields', async () => {
      const { id, name } = await world.driver.partner();
      const { items } = await world.driver.manage('GET', `/admin/partners/${id}/tokens`);
      await world.driver.goTo(world.manager, `/audit?partnerId=${id}&action=postback.saved`);
      const actor = world.manager.getByRole('link', { name: `token:${items[0].id}` });
      await actor.waitFor();
      await text(world.manager, 'Endpoint saved');
      expect(await world.manager.getByRole('link', { name, exact: true }).getAttribute('href')).toMatch(id);
      await press(world.manager, 'Show');
      await world.manager
        .getByRole('dialog')
        .getByRole('row', { name: /^Authentication – Bearer/ })
        .waitFor();
      await world.manager.getByRole('dialog').getByRole('row', { name: 'Key is set – Yes' }).waitFor();
      await world.manager.keyboard.press('Escape');
      await actor.click();
      await world.manager.getByRole('tab', { name: 'Tokens', selected: true }).waitFor();
      await world.manager.getByTitle(items[0].id, { exact: true }).waitFor();
    });
  });
}
