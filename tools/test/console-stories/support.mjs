import { changeAnswers, confirm, press, SUPPORT, text } from './pages.mjs';

const STORY = '**/story';

/** Changes the stories of users that a page receives from the API. */
const changeStory = (page, change) => changeAnswers(page, STORY, change);

/** Tests the screens of support. @param {any} world  the driver, a partner, the oid of one of its sales, and a manager's window */
export function supportStories(world) {
  describe('for support', () => {
    const EMAIL = `Jane.${Date.now()}@example.com`;

    it('finds a user by an e-mail address, which then appears in no URL and not on the screen of the user', async () => {
      const { krn } = world.driver.stack.users.b;
      await world.driver.support('PATCH', krn, { ssn: '6789', emailAddress: EMAIL });
      const page = await world.driver.signIn(SUPPORT, '/');
      const urls = [];
      page.on('request', (request) => urls.push(request.url()));
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('nobody');
      await press(page, 'Show the user');
      await text(page, 'Enter a whole e-mail address');
      expect(await page.getByText('Something went wrong').count()).toBe(0);
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('nobody@example.com');
      await press(page, 'Show the user');
      await text(page, 'No user was found.');
      await text(page, 'This finds only users whose identity was confirmed.');
      await page.getByRole('textbox', { name: 'E-mail address' }).fill(EMAIL.toLowerCase());
      await press(page, 'Show the user');
      await page.getByText(krn, { exact: true }).first().waitFor();
      await text(page, 'No. The user can do an identity check now.');
      await page.getByRole('table').last().waitFor();
      expect(urls.filter((url) => /jane|example\.com/i.test(url))).toEqual([]);
      expect((await page.content()).toLowerCase()).not.toContain(EMAIL.toLowerCase());
      await world.driver.close(page);
    });

    it('recognizes an e-mail address or a phone number, even if another kind of search is chosen', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const kind = page.getByRole('combobox', { name: 'Find by' });
      await kind.selectOption('User id (KRN)');
      await page.getByRole('textbox', { name: 'KRN' }).fill('nobody@example.com');
      await press(page, 'Show the user');
      await text(page, 'No user was found.');
      expect(await kind.inputValue()).toBe('email');
      await kind.selectOption('E-mail address');
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('(503) 555-0199');
      await press(page, 'Show the user');
      await text(page, 'No user was found.');
      expect(await kind.inputValue()).toBe('phone');
      await world.driver.close(page);
    });

    it('finds a user by the id of a subscription', async () => {
      const { krn } = world.driver.stack.users.b;
      const { user } = await world.driver.support('GET', krn, undefined, '/story');
      const page = await world.driver.signIn(SUPPORT, '/');
      await page.getByRole('combobox', { name: 'Find by' }).selectOption('Subscription id');
      await page.getByRole('textbox', { name: 'Subscription id' }).fill('sub_1f0c9…');
      await press(page, 'Show the user');
      await text(page, 'This id is shortened. Copy the whole id.');
      await page.getByRole('textbox', { name: 'Subscription id' }).fill('sub-unknown');
      await press(page, 'Show the user');
      await text(page, 'No user of identity protection belongs to this subscription.');
      await text(page, 'Purchases without identity protection, such as a VPN alone');
      await page.getByRole('textbox', { name: 'Subscription id' }).fill(` ${user.subscriptions[0].id} `);
      await press(page, 'Show the user');
      await page.getByText(krn, { exact: true }).first().waitFor();
      await world.driver.close(page);
    });

    it('says how many users were found, and which details to ask the customer for', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const found = (user, has_profile) => ({ user_id: `krn:tandem:eu:user:${user}`, has_profile, found_by: 'email' });
      await page.route('**/users/search', (route) =>
        route.fulfill({ json: { items: [found('one', true), found('two', false)] } }),
      );
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('shared@example.com');
      await press(page, 'Show the user');
      await text(page, '2 users were found. Ask the customer for the subscription id or the KRN');
      await page.getByRole('row', { name: 'krn:tandem:eu:user:one Yes' }).waitFor();
      await page.getByRole('row', { name: 'krn:tandem:eu:user:two No' }).waitFor();
      await world.driver.close(page);
    });

    it('names the date of a planned change of the plan, and does not call the change an attempt', async () => {
      const { krn } = world.driver.stack.users.b;
      const page = await world.driver.signIn(SUPPORT, '/');
      const [now, at, superseded] = [0, 1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
      await changeStory(page, ({ user, vendor, ...story }) => {
        const [first, ...others] = user.subscriptions;
        const change = (entitlements, effectiveAt) => ({
          type: 'plan_changed',
          occurredAt: now,
          effectiveAt,
          entitlements,
          paymentStatus: null,
        });
        const events = [...first.events, change([], at), change(['idp.titles'], superseded)];
        const subscriptions = [{ ...first, events, plannedChange: { at, entitlements: [] } }, ...others];
        const reconciliation = { kind: 'enrollments', dueAt: at, failures: 0, lastError: null };
        const profile = { ...user.profile, grantedCodes: ['CREDIT_SCORE'] };
        const changed = { ...user, profile, subscriptions, reconciliation };
        return { ...story, user: changed, vendor: { ...vendor, enrolledCodes: [] } };
      });
      await world.driver.goTo(page, `/support/users/${encodeURIComponent(krn)}`);
      await text(page, '). Billing has announced a change of the plan. From');
      const plan = page.getByText('Billing has announced a change of the plan. From');
      expect(await plan.textContent()).toMatch(/: No identity protection\.$/);
      await page.getByRole('row', { name: 'Plan changed' }).first().getByText('No identity protection').waitFor();
      await text(page, 'Date of the planned change');
      await text(page, 'No. The plan includes it, but the product is not active');
      expect(await page.getByText(/automatic attempt|last attempt/).count()).toBe(0);
      await world.driver.close(page);
    });

    it('corrects the products of a user, and shows the result when the correction has finished', async () => {
      const { krn } = world.driver.stack.users.b;
      const page = await world.driver.signIn(SUPPORT, '/');
      const reason = 'IDENTITY_MONITORING must still be started';
      await changeStory(page, ({ vendor, ...story }) => {
        const enrolledCodes = vendor.enrolledCodes.filter((code) => code !== 'IDENTITY_MONITORING');
        const enrolled = { verdict: 'waiting', reason, next: [] };
        const alerts = { verdict: 'not_enrolled', reason: 'no product that finds alerts is active', next: [] };
        return { ...story, enrolled, alerts, vendor: { ...vendor, enrolledCodes } };
      });
      await world.driver.goTo(page, `/support/users/${encodeURIComponent(krn)}`);
      await text(page, 'Identity protection, ');
      await page.getByText('Details for an engineer').first().click();
      await text(page, 'Identity monitoring must still be started');
      // The answers about the products and about the alerts both give this advice.
      expect(await page.getByText('Check this page again in a few minutes.').count()).toBe(2);
      await press(page, 'Correct the products');
      await page.getByRole('textbox', { name: 'Reason' }).fill('case 7');
      await confirm(page, 'Correct the products');
      await text(page, 'The page refreshes itself until it has finished');
      await page.unroute(STORY);
      await text(page, 'It has finished. Now active: Identity monitoring.');
      await text(page, 'Yes. All products that the plan includes are active.');
      await world.driver.close(page);
    });

    it('unlocks and erases a user with a reason, and shows the user’s trail, and the receipt and the state of the erasure', async () => {
      const { krn } = world.driver.stack.users.b;
      await world.driver.lock(world.driver.stack.users.b);
      const page = await world.driver.signIn(SUPPORT, '/');
      await page.getByRole('combobox', { name: 'Find by' }).selectOption('User id (KRN)');
      await page.getByRole('textbox', { name: 'KRN' }).fill('nonsense');
      await press(page, 'Show the user');
      await text(page, 'A KRN looks like');
      await page.getByRole('textbox', { name: 'KRN' }).fill(krn);
      await press(page, 'Show the user');
      await text(page, 'Yes, locked until');
      await text(page, 'A lock only stops identity checks: products stay active, and alerts still reach the user.');
      await press(page, 'Unlock the user');
      await confirm(page, 'Unlock the user');
      await text(page, 'Enter a reason.');
      await page.getByRole('textbox', { name: 'Reason' }).fill('case 8 – Łukasz');
      await confirm(page, 'Unlock the user');
      await text(page, 'The user is unlocked. Ask the user to repeat the identity check in the app.');
      const trail = page.getByRole('region', { name: 'Trail of the user' });
      await trail.getByRole('row', { name: 'Unlock the user case 8 – Łukasz Done' }).waitFor();
      await text(page, 'Unlock the user: the user is not locked');
      const answer = page.getByText('No. The user can do an identity check now.').locator('..');
      await answer.getByText('Ask the user to repeat the identity check in the app.').waitFor();
      expect(
        await page
          .getByRole('group', { name: 'Actions' })
          .getByRole('button', { name: 'Unlock the user' })
          .isDisabled(),
      ).toBe(true);
      await press(page, 'Correct the products');
      await page.getByRole('textbox', { name: 'Reason' }).fill('case 8');
      await confirm(page, 'Correct the products');
      await text(page, 'It has finished.');
      await trail.getByRole('row', { name: 'Correct the products case 8 Accepted' }).waitFor();
      await press(page, 'Erase the user');
      await text(page, 'A paid plan continues: this does not cancel it in billing.');
      await page.getByRole('textbox', { name: 'Reason' }).fill('case 9');
      await confirm(page, 'Erase the user');
      await text(page, 'This is not the KRN of the user.');
      await page.getByRole('textbox', { name: 'Enter the KRN to confirm' }).fill(krn);
      await confirm(page, 'Erase the user');
      await text(page, 'The receipt on this page says whether the vendor has deleted the user too.');
      await text(page, `The user ${krn} was erased from our platform on`);
      await text(page, 'Receipt number: ');
      await text(page, 'Unlock the user: the user is not locked.');
      await page.getByRole('region', { name: 'Receipts of erasure' }).getByRole('cell', { name: 'case 9' }).waitFor();
      await text(page, 'The user is erased here, and the vendor no longer knows the user.');
      await text(page, 'No profile of the user is stored on our platform, and the vendor no longer knows the user.');
      await text(page, 'the vendor no longer knows the user. Subscription records from billing are kept.');
      expect(
        await page.getByText(/can do an identity check|User id at the vendor|Is the user locked out/).count(),
      ).toBe(0);
      await text(page, 'there are no products. The receipt of the erasure is at the top of this page.');
      await text(page, 'The plan is still paid for: whether it should end is a question for billing.');
      expect(await page.getByText('The correction of the products was requested').count()).toBe(0);
      await trail.getByRole('row', { name: 'Erase the user case 9 Accepted Data was stored: Yes' }).waitFor();
      await text(
        page,
        'Erase the user: there is no personal data to erase. Subscription records from billing are kept.',
      );
      await changeStory(page, ({ user, ...story }) => {
        const reconciliation = { kind: 'removal', dueAt: new Date().toISOString(), failures: 0, lastError: null };
        return { ...story, user: { ...user, reconciliation } };
      });
      await world.driver.goTo(page, '/support');
      await world.driver.goTo(page, `/support/users/${encodeURIComponent(krn)}`);
      await text(page, 'Pending at the vendor');
      await text(page, 'The vendor was asked to delete the user, and has not deleted the user yet.');
      await text(page, 'No. Support erased the user, so there are no products.');
      await world.driver.close(page);
    });

    it('offers to repeat an erasure that got no answer, even if nothing is stored about the user', async () => {
      const krn = 'krn:tandem:eu:user:unanswered';
      const page = await world.driver.signIn(SUPPORT, '/');
      const unanswered = { requested_at: new Date().toISOString(), erased_at: null, outcome: 'failed' };
      const items = [{ ...unanswered, actor: 'agent-7', reason: 'case 10', request_id: 'req-10' }];
      await page.route('**/erasures', (route) => route.fulfill({ json: { items } }));
      await world.driver.goTo(page, `/support/users/${encodeURIComponent(krn)}`);
      await text(page, 'Result unknown');
      await press(page, 'Erase the user');
      await text(
        page,
        'It is not known whether the last erasure took effect. If it erased the user, this creates the receipt.',
      );
      await world.driver.close(page);
    });

    it('shows that nothing is stored about an unknown user, and offers no action', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('krn:tandem:eu:user:invented');
      await press(page, 'Show the user');
      await text(page, 'Tandem has no user with this KRN');
      await text(page, 'a mistyped KRN looks like a user without data');
      await text(
        page,
        'Identity protection stores nothing about the user krn:tandem:eu:user:invented, except a record',
      );
      expect(await page.getByRole('group', { name: 'Actions' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Find another user' }).click();
      await page.getByRole('textbox', { name: 'E-mail address' }).waitFor();
      await changeStory(page, ({ vendor, ...story }) => ({ ...story, vendor: { ...vendor, isKnown: null } }));
      await world.driver.goTo(page, '/support/users/krn:tandem:eu:user:mistyped');
      await text(page, 'The vendor did not answer, so it may still store something.');
      expect(await page.getByText('Identity protection stores nothing').count()).toBe(0);
      await world.driver.goTo(page, '/support/users/mistyped');
      await text(page, 'This is not the id of a user');
      await world.driver.close(page);
    });

    it('shows consecutive equal reads of a user as one row, with their number and the time of the last read', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const entry = (id, action, at, details = {}) => ({
        id,
        actor: 'agent-7',
        action,
        krn: 'krn:tandem:eu:user:read',
        reason: null,
        requestId: `r-${id}`,
        details,
        outcome: 'succeeded',
        error: null,
        startedAt: `2026-01-05T09:3${at}:00.000Z`,
        finishedAt: null,
      });
      const items = [
        entry('6', 'user.read', 6, { story: true }),
        entry('5', 'user.read', 5),
        entry('4', 'user.read', 4),
        entry('3', 'user.unlock', 3),
        entry('2', 'user.unlock', 2),
        entry('1', 'user.read', 1),
        // These entries look alike in the list, but one search was for another value, and one read had other filters.
        entry('-1', 'user.search', 0, { by: 'email', found: 0 }),
        entry('-2', 'user.search', 0, { by: 'email', found: 0 }),
        entry('-3', 'audit.read', 0, { filters: { action: 'user.erase' } }),
        entry('-4', 'audit.read', 0, { filters: {} }),
      ];
      await page.route('**/idp/support/audit?**', (route) => route.fulfill({ json: { items, nextCursor: null } }));
      await page.getByRole('link', { name: 'Support audit' }).click();
      const list = page.getByRole('region', { name: 'Support audit' });
      const reads = list.getByRole('cell', { name: 'Open a user · 3 times, until' });
      await reads.locator('time[datetime="2026-01-05T09:36:00.000Z"]').waitFor();
      const row = list
        .getByRole('row')
        .filter({ has: page.getByRole('cell', { name: 'Open a user · 3 times, until' }) });
      await row.locator('time[datetime="2026-01-05T09:34:00.000Z"]').waitFor();
      expect(await list.getByRole('cell', { name: 'Open a user' }).count()).toBe(2);
      expect(await list.getByRole('cell', { name: 'Unlock the user' }).count()).toBe(2);
      expect(await list.getByRole('cell', { name: 'Find a user' }).count()).toBe(2);
      expect(await list.getByRole('cell', { name: 'Read the audit' }).count()).toBe(2);
      await world.driver.close(page);
    });

    it('lists the actions of support, filtered by person, action and day', async () => {
      const { krn } = world.driver.stack.users.a;
      await world.driver.support('POST', krn, undefined, '/enrollment-sync').catch(() => undefined);
      const page = await world.driver.signIn(SUPPORT, '/');
      await page.getByRole('link', { name: 'Support audit' }).click();
      const list = page.getByRole('region', { name: 'Support audit' });
      await list.getByRole('cell', { name: 'Correct the products' }).first().waitFor();
      expect(await list.getByRole('cell', { name: 'Read the audit' }).count()).toBe(0);
      await page.getByRole('switch', { name: 'Show reads too' }).click();
      await list.getByRole('cell', { name: 'Read the audit' }).first().waitFor();
      await list.getByRole('cell', { name: 'You' }).first().waitFor();
      await list.getByRole('button', { name: 'Copy' }).first().waitFor();
      await list.getByText('Searched by: e-mail address').first().waitFor();
      expect(await list.getByText(/Filters:|With the vendor’s answers/).count()).toBe(0);
      await page.getByRole('combobox', { name: 'Action' }).selectOption('Correct the products');
      await list.getByRole('cell', { name: 'Read the audit' }).first().waitFor({ state: 'detached' });
      await list.getByRole('link', { name: krn }).first().waitFor();
      await page.getByRole('textbox', { name: 'Actions of another person' }).fill('nobody');
      await text(page, 'A name or a part of the id finds nothing.');
      await press(page, 'Clear the filters');
      await page.getByLabel('To', { exact: true }).fill('2020-01-01');
      await text(page, 'No actions');
      await text(page, 'To see reads too, turn on “Show reads too”.');
      await page.getByRole('switch', { name: 'Show reads too' }).click();
      await page.getByText('To see reads too').waitFor({ state: 'detached' });
      await press(page, 'Clear the filters');
      await page.getByRole('switch', { name: 'Only my actions' }).click();
      await page.waitForURL(/actor=krn/);
      expect(await page.getByRole('textbox', { name: 'Actions of another person' }).inputValue()).toBe('');
      await press(page, 'Clear the filters');
      await list.getByRole('button', { name: 'You', exact: true }).first().click();
      await page.waitForURL(/actor=/);
      await press(page, 'Clear the filters');
      const from = page.getByLabel('From', { exact: true });
      await from.fill('0002-01-01');
      await from.blur();
      await text(page, 'Enter a date from 2000 to 9998.');
      expect(page.url()).not.toContain('from=');
      await press(page, 'Clear the filters');
      expect(await from.inputValue()).toBe('');
      await world.driver.close(page);
    });

    it('shows nothing to a user without rights, and names the right that is missing', async () => {
      const page = await world.driver.signIn('Nora Newcomer');
      await text(page, 'You have no rights here yet');
      await world.driver.goTo(page, '/sales').catch(() => undefined);
      await text(page, 'You cannot open this page');
      await text(page, 'partner:manage');
      await world.driver.close(page);
    });
  });
}
