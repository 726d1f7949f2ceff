import { createRequire } from 'node:module';
import { requestJson } from '../../stack/http.mjs';
import { signInAgain } from './manager-sign-in.mjs';
import { confirm, focused, loseAnswer, NARROW, press, settled, SUPPORT, text, WIDE } from './pages.mjs';

const { problemsOf } = createRequire(import.meta.url)('@tandem/testing');

const ACTION = 'Change the personal data';
const PATCH = /^\/idp\/support\/users\/[^/]+$/;
/** Input for the fields of the dialog. Five of these values are invalid. */
const INVALID = {
  Reason: 'case 13',
  'Social Security number': '123-45-6789',
  'Date of birth': '1850-02-28',
  'E-mail address': 'portland',
  'Phone number': '555-0142',
  'Street address': '12 Larkspur Lane',
  City: 'Portland',
  State: 'Z',
  'ZIP code': '9720',
};
const DIALOG = { within: '[role="dialog"]' };
/** Matches the personal data that the tests type into the dialog, also in the formats in which the page sends it. */
const PERSONAL = /123-?45-?6789|1984-02-29|555-?0142|Larkspur|Portland|97201/;

/** Returns the field of the open dialog with the given name. */
const field = (page, name) => page.getByRole('dialog').getByRole('textbox', { name, exact: true });

const fill = async (page, values) => {
  for (const [name, value] of Object.entries(values)) await field(page, name).fill(value);
};

/** Returns a list, to which the body of every later change by the page is added. Answers the first `refused` changes with 401. */
async function bodiesOf(page, refused = 0) {
  const bodies = [];
  await page.route(
    (url) => PATCH.test(url.pathname),
    (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      bodies.push(route.request().postDataJSON());
      if (bodies.length > refused) return route.continue();
      return route.fulfill({ status: 401, json: { error: 'unauthorized' } });
    },
  );
  return bodies;
}

/** Returns whether an element is entirely in the visible part of the window. */
const isInView = (element) =>
  element.evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

/** Returns the content of the page's caches of requests, which are in memory, and of the browser's storage. */
async function keptBy(page) {
  const caches = await page.evaluate(() => {
    const root = document.getElementById('root');
    const container = Object.keys(root).find((key) => key.startsWith('__reactContainer'));
    const clientIn = (fiber) => {
      for (let node = fiber; node; node = node.sibling) {
        if (node.memoizedProps?.client?.getMutationCache) return node.memoizedProps.client;
        const found = clientIn(node.child);
        if (found) return found;
      }
      return undefined;
    };
    const client = clientIn(/** @type {any} */ (root)[container].stateNode.current);
    const caches = [client.getMutationCache(), client.getQueryCache()];
    return JSON.stringify(caches.map((cache) => cache.getAll().map(({ queryKey, state }) => ({ queryKey, state }))));
  });
  const session = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
  return caches + session + JSON.stringify(await page.context().storageState());
}

/** Tests how support changes the personal data of a user. @param {any} world  the driver */
export function supportDataStories(world) {
  describe('for support that changes the personal data of a user', () => {
    const user = () => world.driver.stack.users.b;
    /** Makes the vendor refuse the next identity. */
    const refuse = () =>
      requestJson('PUT', `${world.driver.stack.sandbox.vendor}/faults`, {
        body: { route: 'verify', fault: 'refuse', times: 1 },
      });
    /** Makes the vendor fail the next verification. */
    const fail = () =>
      requestJson('PUT', `${world.driver.stack.sandbox.vendor}/faults`, {
        body: { route: 'verify', fault: 'error', times: 1 },
      });

    /** Opens the dialog on the page of the user. */
    async function openDialog(look = WIDE) {
      const page = await world.driver.signIn(SUPPORT, '/', look);
      await world.driver.goTo(page, `/support/users/${encodeURIComponent(user().krn)}`);
      await press(page, ACTION);
      await field(page, 'Reason').waitFor();
      return page;
    }

    it('ends a lock by a change that the vendor confirms, sends only fields that are filled in, and stores no input', async () => {
      await world.driver.lock(user());
      const page = await openDialog();
      const bodies = await bodiesOf(page);
      const urls = [];
      page.on('request', (request) => urls.push(request.url()));
      await page.getByText('Yes, locked until').waitFor();
      await text(page, 'Stored data is never shown: enter what the customer tells you.');
      const inputs = await page
        .getByRole('dialog')
        .locator('input')
        .evaluateAll((all) => all.map((/** @type {any} */ { value, autocomplete }) => [value, autocomplete]));
      expect(inputs).toEqual(Array.from({ length: 9 }, () => ['', 'off']));
      await confirm(page, ACTION);
      await text(page, 'Enter a reason.');
      await text(page, 'Enter all 9 digits of a Social Security number, or its last 4.');
      await fill(page, {
        Reason: 'case 12',
        'Social Security number': '123-45-6789',
        'Date of birth': '1984-02-29',
        'Phone number': '(503) 555-0142',
        'Street address': '12 Larkspur Lane',
        City: 'Portland',
        'ZIP code': '97201',
      });
      await confirm(page, ACTION);
      await text(page, 'Enter the two letters of a state or territory of the USA.');
      expect(bodies).toEqual([]);
      await fill(page, { State: 'or' });
      await confirm(page, ACTION);
      await text(page, 'The vendor confirmed the identity. The data was changed, and the user has all attempts again.');
      await text(page, 'No. The user can do an identity check now.');
      await text(page, 'Not locked');
      const address = { street: '12 Larkspur Lane', city: 'Portland', state: 'or', zip: '97201' };
      expect(bodies).toEqual([{ ssn: '123456789', dob: '1984-02-29', phoneNumber: '5035550142', address }]);
      const trail = page.getByRole('region', { name: 'Trail of the user' });
      const entry = trail.getByRole('row', { name: 'Change the personal data case 12 Done Changed: ' });
      for (const name of ['phone number', 'social security number', 'date of birth', 'address']) {
        await entry.getByText(name).first().waitFor();
      }
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.content()).not.toMatch(PERSONAL);
      expect(urls.filter((url) => PERSONAL.test(decodeURIComponent(url)))).toEqual([]);
      const kept = await keptBy(page);
      expect(kept).toContain(user().krn);
      expect(kept).not.toMatch(PERSONAL);
      await world.driver.close(page);
    });

    it('says before a change what a short number and a wrong name mean, and after the change that nothing is left to do', async () => {
      const page = await openDialog();
      await text(page, 'if you enter only the last 4, only these 4 are stored from then on.');
      await text(page, 'The name cannot be changed: if it is wrong, the user deletes the profile in the app');
      await fill(page, { Reason: 'case 18', 'Social Security number': '123456789' });
      await confirm(page, ACTION);
      await text(page, 'the user has all attempts again. The user has nothing more to do.');
      await text(page, 'Nothing. The identity is confirmed, so the user has nothing more to do either.');
      await world.driver.close(page);
    });

    it('warns of personal data in a reason, because the reason is stored, but accepts the reason', async () => {
      const page = await openDialog();
      const warning = page.getByText('Do not write personal data here: the reason is kept.');
      for (const reason of ['SSN 219-09-9999', 'of jane@example.com', 'call (503) 555-0142']) {
        await field(page, 'Reason').fill(reason);
        await warning.waitFor();
        await field(page, 'Reason').fill('case 123456');
        await warning.waitFor({ state: 'detached' });
      }
      await field(page, 'Reason').fill('case 12345678');
      await warning.waitFor();
      await confirm(page, ACTION);
      await text(page, 'Enter all 9 digits of a Social Security number');
      expect(await page.getByText('Enter a reason.').count()).toBe(0);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await world.driver.close(page);
    });

    it('says next to each field what is wrong, and discards the input when the dialog is closed', async () => {
      const page = await openDialog();
      const bodies = await bodiesOf(page);
      await fill(page, INVALID);
      await confirm(page, ACTION);
      await text(page, 'Enter a whole date. The person must be 18 to 120 years old.');
      await text(page, 'Enter a whole e-mail address, such as alice@example.com.');
      await text(page, 'Enter a phone number of 10 to 15 digits.');
      await text(page, 'Enter the two letters of a state or territory of the USA.');
      await text(page, 'Enter 5 digits, or 9 digits such as 97201-1234.');
      expect(await page.getByRole('dialog').locator('[aria-invalid="true"]').count()).toBe(5);
      for (const [name, value] of Object.entries(INVALID)) {
        expect([name, await field(page, name).inputValue()]).toEqual([name, value]);
      }
      await fill(page, { 'Social Security number': '000-00-0000', City: '' });
      await field(page, 'Date of birth').press('Control+A');
      await field(page, 'Date of birth').pressSequentially('02311990');
      await confirm(page, ACTION);
      await text(page, 'This is not a valid Social Security number.');
      await text(page, 'This date is incomplete or does not exist.');
      await text(page, 'Enter the city.');
      expect(bodies).toEqual([]);
      // Escape does not discard what was typed.
      await page.keyboard.press('Escape');
      expect(await field(page, 'Reason').inputValue()).toBe('case 13');
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await keptBy(page)).not.toMatch(PERSONAL);
      await press(page, ACTION);
      await field(page, 'Reason').waitFor();
      for (const name of Object.keys(INVALID)) expect(await field(page, name).inputValue()).toBe('');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await world.driver.close(page);
    });

    it('shows next to a field what only the API refuses, and lists the refused change in the trail', async () => {
      const page = await openDialog();
      await fill(page, {
        Reason: 'case 16',
        'Social Security number': '6789',
        'Street address': '12 Larkspur Lane',
        City: 'Portland',
        State: 'ZZ',
        'ZIP code': '97201',
      });
      await confirm(page, ACTION);
      await text(page, 'Correct the marked fields.');
      await text(page, 'Enter the two letters of a state or territory of the USA.');
      expect(await page.getByRole('dialog').locator('[aria-invalid="true"]').count()).toBe(1);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      const entry = page
        .getByRole('region', { name: 'Trail of the user' })
        .getByRole('row', { name: 'case 16 Refused' });
      await entry.getByText('Tried to change: ').waitFor();
      await entry.getByText('Cause: The input was not valid').waitFor();
      await world.driver.close(page);
    });

    it('says in the dialog and in the trail that the stored data is unchanged when the vendor fails', async () => {
      const page = await openDialog();
      await page.setViewportSize({ width: 1280, height: 700 });
      await fill(page, { Reason: 'case 17', 'Social Security number': '6789' });
      await fail();
      await confirm(page, ACTION);
      const alert = page.getByRole('dialog').getByRole('alert');
      await alert.getByText('The change was not confirmed').waitFor();
      await alert.getByText('The vendor failed, so the stored data stays as it was.').waitFor();
      expect(await isInView(alert)).toBe(true);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      const trail = page.getByRole('region', { name: 'Trail of the user' });
      const entry = trail.getByRole('row', { name: 'case 17 Failed, stored data unchanged Tried to change: ' });
      await entry.getByText('Cause: The vendor failed').waitFor();
      await world.driver.close(page);
    });

    it('says what to do when the vendor refuses the identity or fails, and when it is unknown whether the data was changed', async () => {
      await world.driver.lock(user());
      const page = await openDialog();
      const alert = page.getByRole('dialog').getByRole('alert');
      const uncertain = page.getByText('The data may have been changed.');
      await fill(page, { Reason: 'case 14', 'Social Security number': '123456789' });
      await refuse();
      await confirm(page, ACTION);
      await alert.getByText('The identity was not confirmed').waitFor();
      await alert.getByText('The vendor did not confirm the identity, so nothing was changed.').waitFor();
      await alert.getByRole('button', { name: 'Copy the request id' }).waitFor();
      expect(await world.driver.support('GET', user().krn, undefined, '/story')).toMatchObject({
        locked: { verdict: 'waiting' },
      });
      for (const [status, error, words] of /** @type {const} */ ([
        [502, 'provider unavailable', 'The vendor failed, so the stored data stays as it was.'],
        [404, 'unknown user', 'The user has no profile any more'],
        [
          504,
          'provider timed out',
          'The vendor did not answer in time, or another request for this user was running, so the stored data',
        ],
      ])) {
        await page.route(
          (url) => PATCH.test(url.pathname),
          (route) => route.fulfill({ status, json: { error } }),
          { times: 1 },
        );
        await confirm(page, ACTION);
        await alert.getByText(words).waitFor();
      }
      expect(await uncertain.count()).toBe(0);
      await loseAnswer(page, 'PATCH', PATCH);
      await confirm(page, ACTION);
      await text(page, 'The server did not answer.');
      await uncertain.waitFor();
      expect(await field(page, 'Social Security number').inputValue()).toBe('123456789');
      await confirm(page, ACTION);
      await text(page, 'The vendor confirmed the identity.');
      await text(page, 'Not locked');
      await world.driver.close(page);
    });

    it('sends the same data after a new sign-in when the session has ended and cannot be renewed', async () => {
      const page = await openDialog();
      await fill(page, { Reason: 'case 15', 'Social Security number': '123456789', City: 'Portland' });
      await page.route('**/issuer/service/token', (route) =>
        route.fulfill({ status: 400, json: { error: 'invalid_grant' } }),
      );
      const bodies = await bodiesOf(page, 1);
      await fill(page, { 'Street address': '12 Larkspur Lane', State: 'OR', 'ZIP code': '97201' });
      await confirm(page, ACTION);
      await text(page, 'Your session has ended');
      await page.unroute('**/issuer/service/token');
      await signInAgain(page);
      await text(page, 'The vendor confirmed the identity.');
      const address = { street: '12 Larkspur Lane', city: 'Portland', state: 'OR', zip: '97201' };
      expect(bodies).toEqual([1, 2].map(() => ({ ssn: '123456789', address })));
      await world.driver.close(page);
    });

    it('works by keyboard only: Escape leaves each dialog, Enter confirms, and the focus goes back to the button', async () => {
      await world.driver.lock(user());
      const page = await world.driver.signIn(SUPPORT, '/');
      await world.driver.goTo(page, `/support/users/${encodeURIComponent(user().krn)}`);
      await page.getByText('Yes, locked until').waitFor();
      const dialog = page.getByRole('dialog');
      for (const name of ['Unlock the user', ACTION, 'Erase the user']) {
        await world.driver.focus(page, name);
        await page.keyboard.press('Enter');
        await field(page, 'Reason').waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await world.driver.eventually(async () => (await focused(page)) === name);
      }
      await world.driver.focus(page, 'Unlock the user', 'Shift+Tab');
      await page.keyboard.press('Enter');
      await field(page, 'Reason').waitFor();
      await world.driver.focus(page, 'Reason *');
      await page.keyboard.type('case 18');
      await page.keyboard.press('Enter');
      await text(page, 'The user is unlocked.');
      await dialog.waitFor({ state: 'detached' });
      // The button is disabled now, so the focus goes to the heading of the page.
      await world.driver.eventually(async () => (await focused(page)) === 'User');
      await world.driver.close(page);
    });

    it.each([WIDE, NARROW])('is accessible, also with errors, $width px wide, $colorScheme', async (look) => {
      const page = await openDialog(look);
      // So high that the dialog does not scroll: axe cannot measure the contrast of text that has scrolled behind the title of the dialog.
      await page.setViewportSize({ width: look.width, height: 1800 });
      await settled(page);
      expect(await problemsOf(page, DIALOG)).toEqual([]);
      await fill(page, INVALID);
      await confirm(page, ACTION);
      await text(page, 'Enter 5 digits, or 9 digits such as 97201-1234.');
      await settled(page);
      expect(await problemsOf(page, DIALOG)).toEqual([]);
      await world.driver.close(page);
    });
  });
}
