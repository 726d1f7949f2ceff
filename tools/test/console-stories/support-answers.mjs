import { changeAnswers, press, SUPPORT, text } from './pages.mjs';

const STORY = '**/story';
const UNTIL = '2100-01-01T12:00:00.000Z';

/** Tests what support reads about a user. @param {any} world  the driver, a partner, the oid of one of its sales, and a manager's window */
export function supportAnswerStories(world) {
  describe('for support, the answers about a user', () => {
    /** Opens the page of a user, whose story is changed. */
    async function openUser(page, change) {
      await page.unroute(STORY);
      await changeAnswers(page, STORY, change);
      await world.driver.goTo(page, '/support');
      await world.driver.goTo(page, `/support/users/${encodeURIComponent(world.driver.stack.users.a.krn)}`);
    }

    /** Returns a change of a story: other fields of the user, and other answers. */
    const withUser = (change, answers) => (story) => ({
      ...story,
      ...answers,
      user: { ...story.user, ...change },
    });
    const NOT_LOCKED = { locked: { verdict: 'not_locked', reason: 'no verification was refused', next: [] } };

    it('say when a lock ends, and whether the user can do an identity check', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const verification = {
        authenticated: false,
        attempts: 1,
        remainingAttempts: 2,
        lastAttemptAt: '2026-01-05T09:30:00.000Z',
        lock: 'wait',
        lockedUntil: UNTIL,
      };
      const locked = { verdict: 'waiting', reason: 'the vendor refused the identity', next: [] };
      const profile = { version: 1, configured: {}, grantedCodes: [] };
      await openUser(page, withUser({ verification, profile }, { locked }));
      const lock = page.getByText('Yes, locked until');
      await lock.locator(`time[datetime="${UNTIL}"]`).waitFor();
      await lock.getByText('UTC').first().waitFor();
      await text(page, 'If stored data is wrong, choose “Change the personal data”, which ends the lock too.');
      // Without a profile, the data cannot be changed.
      for (const [verdict, words] of [
        ['waiting', 'If the user cannot wait, choose “Unlock the user”.'],
        ['maximum', 'Then choose “Unlock the user”, so that the user can try again.'],
      ]) {
        await openUser(page, withUser({ verification, profile: null }, { locked: { ...locked, verdict } }));
        await text(page, words);
        await page.getByText('choose “Change the personal data”').waitFor({ state: 'detached' });
      }
      await openUser(page, withUser({ entitlements: [], subscriptions: [] }, NOT_LOCKED));
      await text(page, 'No, but no identity protection is paid for now, so the user cannot use it.');
      await openUser(page, withUser({ profile: null, entitlements: ['idp.identity'] }, NOT_LOCKED));
      await text(page, 'No. There is no profile yet: the identity check takes place when');
      expect(await page.getByText('can do an identity check now').count()).toBe(0);
      await world.driver.close(page);
    });

    it('have a sentence for a customer with a plan and without personal data, above the list of who has looked', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      await openUser(page, ({ user, vendor, ...story }) => {
        const verification = { ...user.verification, attempts: 0, lock: null, lockedUntil: null };
        const changed = { ...user, profile: null, verification, reconciliation: null, pushedAlerts: 0 };
        return { ...story, user: changed, vendor: { ...vendor, isKnown: false } };
      });
      await page
        .getByText(/Identity protection stores no personal data about the user krn:\S+, only records of subscriptions/)
        .first()
        .waitFor();
      await page.getByRole('switch', { name: 'Show reads too' }).click();
      const trail = page.getByRole('region', { name: 'Trail of the user' });
      await trail.getByRole('cell', { name: 'Open a user' }).first().waitFor();
      expect(await trail.getByRole('cell', { name: 'Read the audit' }).count()).toBe(0);
      await text(page, 'Reads of this list and of the receipts are left out here. “Support audit” lists them.');
      await world.driver.close(page);
    });

    it('say in plain words what failed at the vendor, and that a plan has ended, with details for engineers', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const raw = 'provider unavailable (alerts: status 500)';
      await openUser(page, ({ user, vendor, ...story }) => ({
        ...story,
        alerts: { verdict: 'vendor_unavailable', reason: `the vendor cannot be read now: ${raw}`, next: [] },
        user: {
          ...user,
          entitlements: [],
          profile: { version: 1, configured: {}, grantedCodes: [] },
          subscriptions: user.subscriptions.map((one) => ({
            ...one,
            state: 'ended',
            endsAt: '2026-01-05T09:30:00.000Z',
          })),
        },
        vendor: { ...vendor, failures: [raw] },
      }));
      await text(page, 'No, not right now: the vendor is not answering');
      await text(page, 'The alerts: the request to the vendor failed');
      await text(page, 'No. The plan has ended');
      expect(await page.getByText('status 500').first().isVisible()).toBe(false);
      for (const summary of await page.getByText('Details for an engineer').all()) await summary.click();
      expect(await page.getByText('status 500').first().isVisible()).toBe(true);
      await world.driver.close(page);
    });

    it('do not change an id at the beginning of a reason that the console does not know', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const enrolled = { verdict: 'brand_new', reason: 'sub_7 was paused', next: [] };
      await openUser(page, withUser({}, { enrolled }));
      await page.getByText(/sub_7 was paused/).waitFor();
      await world.driver.close(page);
    });

    it('lead from a subscription without a user to the sale, if the person may see sales', async () => {
      const page = await world.driver.signIn('Alex Admin', '/support');
      await page.getByRole('combobox', { name: 'Find by' }).selectOption('Subscription id');
      await page.getByRole('textbox', { name: 'Subscription id' }).fill(world.oid);
      await press(page, 'Show the user');
      await text(page, 'No user of identity protection belongs to this subscription.');
      await page.getByRole('link', { name: 'Show the sale with this id' }).click();
      await page.getByRole('heading', { name: `Sale ${world.oid}` }).waitFor();
      await world.driver.close(page);
    });
  });
}
