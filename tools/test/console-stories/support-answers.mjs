import { changeAnswers, press, SUPPORT, text, WIDE } from './pages.mjs';

const STORY = '**/story';
const UNTIL = '2100-01-01T12:00:00.000Z';

/** Tests what support reads about a user. @param {any} world  the driver, a partner, the oid of one of its sales, and a manager's window */
export function supportAnswerStories(world) {
  describe('for support, the answers about a user', () => {
    /** Opens the page of a user, and changes the story that the page receives. */
    async function openUser(page, change) {
      await page.unroute(STORY);
      await changeAnswers(page, STORY, change);
      await showUser(page);
    }

    async function showUser(page) {
      await world.driver.goTo(page, '/support');
      await world.driver.goTo(page, `/support/users/${encodeURIComponent(world.driver.stack.users.a.krn)}`);
    }

    /** Returns a function that changes a story: it replaces fields of the user, and whole answers. */
    const withUser = (change, answers) => (story) => ({
      ...story,
      ...answers,
      user: { ...story.user, ...change },
    });
    const NOT_LOCKED = { locked: { verdict: 'not_locked', reason: 'no verification was refused', next: [] } };
    const LOCK = {
      authenticated: false,
      attempts: 1,
      remainingAttempts: 2,
      lastAttemptAt: null,
      lock: 'wait',
      lockedUntil: UNTIL,
    };
    const LOCKED = { locked: { verdict: 'waiting', reason: 'the vendor refused the identity', next: [] } };

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

    it('name the end of a lock in the time zone of the reader and also in UTC', async () => {
      const page = await world.driver.signIn(SUPPORT, '/', { ...WIDE, timezoneId: 'America/Denver' });
      const verification = { attempts: 1, remainingAttempts: 2, lastAttemptAt: null, lock: 'wait', lockedUntil: UNTIL };
      const locked = { verdict: 'waiting', reason: 'the vendor refused the identity', next: [] };
      await openUser(page, withUser({ verification: { ...verification, authenticated: false } }, { locked }));
      const answer = page.getByText('Yes, locked until');
      await answer.waitFor();
      expect(await answer.textContent()).toMatch(
        /^Yes, locked until Jan 1, 2100, 5:00:00\sAM MST \(Jan 1, 2100, 12:00:00\sPM UTC\): identity check/,
      );
      await world.driver.close(page);
    });

    it('say which identity check failed, and that the next one is the last', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const locked = { verdict: 'waiting', reason: 'the vendor refused the identity', next: [] };
      const counted = (attempts, lockedUntil = UNTIL) => ({
        authenticated: false,
        lastAttemptAt: null,
        lock: 'wait',
        lockedUntil,
        attempts,
        remainingAttempts: 3 - attempts,
      });
      await openUser(page, withUser({ verification: counted(1) }, { locked }));
      await text(page, ': identity check 1 of 3 failed. The user can try again then.');
      expect(await page.getByText('only support can end the lock').count()).toBe(0);
      await openUser(page, withUser({ verification: counted(2) }, { locked }));
      await text(
        page,
        ': identity check 2 of 3 failed. The user can try again then. If the next check fails too, only',
      );
      await world.driver.close(page);
    });

    const NO_ALERTS = { verdict: 'no_profile', reason: 'without a profile, there are no alerts', next: [] };
    const PENDING = { kind: 'removal', dueAt: UNTIL, failures: 0, lastError: null };
    const FAILING = { ...PENDING, failures: 1, lastError: 'provider unavailable (users: 500)' };

    /** Returns a function that changes a story so that the user is still to be deleted at the vendor. */
    const removal = (verdict, reconciliation, change = {}, locked = NOT_LOCKED) =>
      withUser(
        { profile: null, enrollments: [], entitlements: ['idp.identity'], reconciliation, ...change },
        {
          ...locked,
          enrolled: { verdict, reason: 'the user is still to be deleted at the vendor', next: [] },
          alerts: NO_ALERTS,
        },
      );
    const REMOVAL = removal('removal_failing', FAILING);

    it('all give the same advice about a locked user without a profile: wait, or end the lock', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      for (const [verdict, reconciliation, words] of [
        ['no_profile', null, 'No. The plan is paid for, but there is no profile.'],
        ['removal_pending', PENDING, 'Our platform is making sure that nothing about the user is left'],
        ['removal_failing', FAILING, 'Our platform could not yet make sure that nothing about the user is left'],
      ]) {
        const enrolled = { verdict, reason: 'there is no profile', next: [] };
        const answers = { ...LOCKED, enrolled, alerts: NO_ALERTS };
        await openUser(page, withUser({ profile: null, reconciliation, verification: LOCK }, answers));
        await text(page, words);
        await text(page, 'If the user cannot wait, choose “Unlock the user”.');
        expect(await page.getByText('Do what the answer about the lock says.').count()).toBe(2);
        expect(await page.getByText(/choose “Change the personal data”|just entered|Do not tell/).count()).toBe(0);
      }
      await world.driver.close(page);
    });

    it('do not claim that a user whose sign-up failed at the vendor is being deleted', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      await openUser(page, REMOVAL);
      await text(page, 'If the user has just entered the personal data in the app, the identity vendor failed');
      await text(page, 'Make sure that nothing about the user is left');
      // All three answers, about the lock, the products and the alerts, give this advice.
      expect(await page.getByText('ask the user to try again later').count()).toBe(3);
      expect(await page.getByText(/has not deleted the user|everything is deleted|Remove the user/).count()).toBe(0);
      await world.driver.close(page);
    });

    it('say what to do about personal data that was not accepted, and do not say to wait for the next attempt at the vendor', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      await openUser(page, removal('removal_pending', PENDING));
      await text(page, 'it was not accepted, or the vendor did not answer, and nothing was stored here');
      // All three answers, about the lock, the products and the alerts, give this advice.
      expect(await page.getByText('ask the user to check it and to try again').count()).toBe(3);
      expect(await page.getByText('Wait until').count()).toBe(0);
      await world.driver.close(page);
    });

    it('say that the vendor has not yet deleted a user whom support has erased', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const erased = {
        requested_at: UNTIL,
        erased_at: UNTIL,
        outcome: 'succeeded',
        actor: 'agent-7',
        reason: 'case 18',
      };
      await page.route('**/erasures', (route) =>
        route.fulfill({ json: { items: [{ ...erased, request_id: 'r-18' }] } }),
      );
      await openUser(page, REMOVAL);
      await text(page, 'Support erased the user, and the vendor has not deleted the user yet: an attempt failed.');
      await text(page, 'Do not tell the customer yet that everything is deleted.');
      await text(page, 'If the user has just entered the personal data again, the identity vendor failed');
      await openUser(page, removal('removal_pending', PENDING));
      await text(page, 'If the user has just entered the personal data again, it was not accepted, or the vendor');
      await openUser(page, removal('removal_failing', FAILING, { verification: LOCK }, LOCKED));
      await text(page, 'Do what the answer about the lock says.');
      await text(page, 'Do not tell the customer yet that everything is deleted.');
      expect(await page.getByText('just entered').count()).toBe(0);
      await world.driver.close(page);
    });

    it('are loaded less and less often while the vendor has not deleted a user, and no longer after two minutes', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      await page.clock.install();
      const { krn } = world.driver.stack.users.a;
      const json = REMOVAL(await world.driver.support('GET', krn, undefined, '/story'));
      let loads = 0;
      let loaded = 0;
      await page.route(STORY, (route) => {
        loads += 1;
        return route.fulfill({ json });
      });
      page.on('response', (response) => {
        if (response.url().endsWith('/story')) loaded += 1;
      });
      await showUser(page);
      await text(page, 'Make sure that nothing about the user is left');
      const passSeconds = async (seconds) => {
        for (let second = 0; second < seconds; second += 1) {
          await page.clock.runFor(1_000);
          await page.waitForTimeout(30);
          await world.driver.eventually(() => loaded === loads);
        }
      };
      await passSeconds(130);
      expect(loads).toBeGreaterThan(5);
      expect(loads).toBeLessThan(18);
      const last = loads;
      await passSeconds(30);
      expect(loads).toBe(last);
      await world.driver.close(page);
    });

    it('say how many products are not active yet and why they should be, while the vendor does not answer', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const enrollment = { wanted: true, active: false, reason: 'enrolled', activatedAt: null, history: [] };
      const codes = ['IDENTITY_MONITORING', 'CREDIT_MONITORING', 'CREDIT_SCORE'];
      const reasonOf = (code) => (code === 'IDENTITY_MONITORING' ? 'vendor' : 'enrolled');
      const enrollments = codes.map((code) => ({
        ...enrollment,
        code,
        active: code === 'CREDIT_SCORE',
        reason: reasonOf(code),
      }));
      const failures = ['provider unavailable (enrollments: status 500)'];
      const alerts = { verdict: 'vendor_unavailable', reason: 'the vendor cannot be read now', next: [] };
      await openUser(page, (story) => ({
        ...withUser({ enrollments }, { alerts })(story),
        vendor: { isKnown: null, enrolledCodes: null, hasAlerts: false, failures },
      }));
      await text(page, '2 of 3 products are not active yet, so nothing is monitored for them.');
      await text(page, 'These are the states in our records.');
      await page
        .getByRole('row', { name: 'Credit monitoring Not active yet Should be active: the user enrolled' })
        .waitFor();
      // The vendor ended the product and later started it again.
      await page
        .getByRole('row', { name: 'Identity monitoring Not active yet Should be active: the vendor started it again' })
        .waitFor();
      await text(page, 'Answered only in part');
      const vendor = page.getByText('Has the user', { exact: true }).locator('..');
      await vendor.getByText('Yes').waitFor();
      await world.driver.close(page);
    });

    /**
     * Opens the page of a user whose lock ends in a minute. The first `lockedAnswers` answers still contain the lock, whatever the time is.
     *
     * @returns a function that returns the number of answers
     */
    async function openLocked(page, lockedAnswers) {
      await page.clock.install();
      let loads = 0;
      let lockedUntil;
      await openUser(page, (story) => {
        loads += 1;
        lockedUntil ??= new Date(Date.now() + 60_000).toISOString();
        const verification = { ...LOCK, authenticated: true, lockedUntil };
        if (loads <= lockedAnswers) return withUser({ verification }, LOCKED)(story);
        const profile = { version: 1, configured: {}, grantedCodes: [] };
        const unlocked = { ...verification, lock: null, lockedUntil: null };
        return withUser({ profile, entitlements: ['idp.identity'], verification: unlocked }, NOT_LOCKED)(story);
      });
      await text(page, 'Locked for another');
      return () => loads;
    }

    it('are loaded once more when a lock has ended while the page is open', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const loads = await openLocked(page, 1);
      await page.clock.fastForward(65_000);
      await text(page, 'No. The user can do an identity check now.');
      await page.clock.fastForward(65_000);
      await page.waitForTimeout(500);
      expect(loads()).toBe(2);
      await world.driver.close(page);
    });

    it('are loaded once more after another minute if the lock has not ended by the clock of the server', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const loads = await openLocked(page, 2);
      await page.clock.fastForward(65_000);
      await world.driver.eventually(() => loads() === 2);
      await text(page, 'Yes, locked until');
      await page.clock.fastForward(61_000);
      await text(page, 'No. The user can do an identity check now.');
      expect(loads()).toBe(3);
      await world.driver.close(page);
    });

    it('show what billing reported, newest first, and say that a plan was refunded', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const event = (type, day) => ({ type, occurredAt: `2026-01-0${day}T09:30:00.000Z`, effectiveAt: null });
      const events = [event('purchased', 1), event('refunded', 2)];
      const rest = { entitlements: null, paymentStatus: 'captured' };
      const subscription = { id: 'sub_refunded', state: 'ended', entitlements: [], plannedChange: null };
      const subscriptions = [
        { ...subscription, endsAt: events[1].occurredAt, events: events.map((one) => ({ ...one, ...rest })) },
      ];
      await openUser(page, withUser({ subscriptions, entitlements: [] }));
      await text(page, 'Subscription sub_refunded: Refunded');
      const table = page.getByRole('region', { name: 'What billing reported' }).last().getByRole('row');
      const [, first = '', second = ''] = await table.allTextContents();
      expect([first, second]).toEqual([expect.stringContaining('Refunded'), expect.stringContaining('Bought')]);
      await world.driver.close(page);
    });

    it('report that a plan was refunded or charged back, and when, whichever event ended the plan', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const at = (day) => `2026-01-0${day}T09:30:00.000Z`;
      const rest = { effectiveAt: null, entitlements: null, paymentStatus: null };
      const ended = (id, ends, ...events) => ({
        id,
        state: 'ended',
        entitlements: [],
        plannedChange: null,
        endsAt: at(ends),
        events: events.map(([type, day]) => ({ type, occurredAt: at(day), ...rest })),
      });
      const subscriptions = [
        ended('sub_late', 1, ['expired', 1], ['charged_back', 4]),
        ended('sub_first', 2, ['refunded', 2], ['expired', 5]),
        ended('sub_renewed', 5, ['refunded', 2], ['renewed', 3], ['expired', 5]),
      ];
      await openUser(page, withUser({ subscriptions, entitlements: [] }));
      for (const [words, day] of [
        ['sub_late: Charged back', 4],
        ['sub_first: Refunded', 2],
        ['sub_renewed: Ended', 5],
      ]) {
        const time = page.getByText(`Subscription ${words}`).locator('time');
        await time.waitFor();
        expect(await time.getAttribute('datetime')).toBe(at(day));
      }
      await world.driver.close(page);
    });

    it('name an inactive product only if the user pays for it', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const enrollment = { wanted: false, active: false, activatedAt: null, history: [] };
      const enrollments = [
        { ...enrollment, code: 'IDENTITY_MONITORING', wanted: true, active: true, reason: 'enrolled' },
        { ...enrollment, code: 'CREDIT_MONITORING', reason: 'vendor' },
        { ...enrollment, code: 'TITLE_MONITORING', reason: 'plan_change' },
      ];
      const openWith = (grantedCodes) =>
        openUser(page, ({ user, vendor, ...story }) => ({
          ...story,
          user: {
            ...user,
            enrollments,
            pushedAlertsOfUnknownBureau: 0,
            profile: { version: 1, configured: {}, grantedCodes },
          },
          vendor: { ...vendor, isKnown: true, enrolledCodes: ['IDENTITY_MONITORING'], failures: [] },
          alerts: { verdict: 'no_alerts', reason: 'the vendor lists no alert', next: [] },
        }));
      await openWith(['IDENTITY_MONITORING']);
      await text(page, 'Yes. The vendor monitors the user’s data, and has found nothing so far.');
      await openWith(['IDENTITY_MONITORING', 'CREDIT_MONITORING']);
      await text(page, 'These products are not active: Credit monitoring.');
      await world.driver.close(page);
    });

    it('do not suggest a fault when a user without alerts is monitored', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      await openUser(page, ({ user, vendor, ...story }) => ({
        ...story,
        user: { ...user, pushedAlertsOfUnknownBureau: 0, enrollments: [] },
        vendor,
        alerts: { verdict: 'no_alerts', reason: 'the vendor lists no alert', next: [] },
      }));
      await text(page, 'Do alerts reach the user?');
      await text(page, 'Yes. The vendor monitors the user’s data, and has found nothing so far.');
      await world.driver.close(page);
    });

    it('state above the trail that no personal data is stored about a customer who has only a plan', async () => {
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

    it('show a reason that the console does not know unchanged, even if it begins with an id', async () => {
      const page = await world.driver.signIn(SUPPORT, '/');
      const enrolled = { verdict: 'brand_new', reason: 'sub_7 was paused', next: [] };
      await openUser(page, withUser({}, { enrolled }));
      await page.getByText(/sub_7 was paused/).waitFor();
      await world.driver.close(page);
    });

    it('link a subscription without a user to its sale, if the person may see sales', async () => {
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
