import { randomUUID } from 'node:crypto';

/** The number of times that a button is pressed before the page can render. */
const PRESSES = 3;

/** Intercepts the requests of a page to one endpoint of the API: answers them with failures, or holds them until `release` is called. */
class Calls {
  /** The number of requests that the page sent, and the number of those that were held. */
  sent = 0;
  held = 0;
  /** Lets the held requests pass to the API. */
  release = () => undefined;
  #failure;
  #released = Promise.resolve();

  constructor(page, method, path) {
    this.page = page;
    this.matches = (url) => path.test(url.pathname);
    this.handle = (route) => (route.request().method() === method ? this.#take(route) : route.fallback());
  }

  async start() {
    await this.page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await this.page.route(this.matches, this.handle);
  }

  /** Answers the next `times` requests with a failure. @returns the fields of the answer that the page must show */
  fail(status, times = Infinity) {
    const shown = { detail: `The test answers ${status}.`, requestId: `req-${randomUUID()}` };
    this.#failure = { answer: { status, json: shown }, times };
    return shown;
  }

  /** Answers one request with 401, and holds all later requests. */
  refuseOnce() {
    this.hold();
    return this.fail(401, 1);
  }

  /** Holds all later requests. */
  hold() {
    this.#failure = undefined;
    this.#released = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  async #take(route) {
    this.sent += 1;
    const failure = this.#failure;
    if (failure && failure.times > 0) {
      failure.times -= 1;
      return route.fulfill(failure.answer);
    }
    this.held += 1;
    await this.#released;
    return route.continue();
  }
}

/** Returns the values of all fields on the page. */
const inputOf = (page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('input, textarea, select')).map((/** @type {any} */ { value, checked }) => [
      value,
      checked,
    ]),
  );

/** Presses an enabled button several times before the page can render. */
async function press(button) {
  await button.click({ trial: true });
  await button.evaluate((element, presses) => {
    for (let count = 0; count < presses; count += 1) element.click();
  }, PRESSES);
}

let clipboardUse = Promise.resolve();

/** Runs `work` while no other window uses the clipboard, which all windows share. */
function withClipboard(work) {
  const use = clipboardUse.then(work);
  clipboardUse = use.catch(() => undefined);
  return use;
}

/** Checks that the page shows a failure, that its text can be selected, and that its request id can be copied. */
async function showsFailure({ driver, page }, { detail, requestId }) {
  const alert = page.getByRole('alert').filter({ hasText: detail });
  await alert.getByText(requestId, { exact: true }).waitFor();
  const selected = await alert.evaluate((element) => {
    getSelection().selectAllChildren(element);
    return getSelection().toString();
  });
  expect(selected).toContain(detail);
  await withClipboard(async () => {
    await alert.getByRole('button', { name: 'Copy the request id' }).click();
    await driver.eventually(async () => (await page.evaluate(() => navigator.clipboard.readText())) === requestId);
  });
}

/**
 * Makes the API call of an action fail with 500, 503 and 401, then delays it, then lets it pass to the API. Checks that
 * - the page shows each failure and keeps the input
 * - repeated presses of the button send only one request
 * - the API performs the action once
 *
 * @param {{ driver: any, page: any, isPartner: boolean }} session  staff get a new token in the background; a partner needs a new link
 * @param {{ call: [method: string, path: RegExp], button: any, shown: any, times: () => number | Promise<number> }} action  its form is
 *   filled in; `shown` appears after success; `times` returns how often the API has performed the action
 */
export async function withFaults({ driver, page, isPartner }, { call: [method, path], button, shown, times }) {
  const calls = new Calls(page, method, path);
  const before = await times();
  const input = await inputOf(page);
  let sent = 0;
  await calls.start();
  for (const status of [500, 503]) {
    const failure = calls.fail(status);
    await press(button);
    await showsFailure({ driver, page }, failure);
    sent += 1;
    expect([status, calls.sent, await inputOf(page)]).toEqual([status, sent, input]);
  }
  const refusal = calls.refuseOnce();
  await press(button);
  if (isPartner) {
    const ended = page.getByRole('dialog', { name: 'Your session has ended' });
    await ended.getByRole('button', { name: 'Not now' }).click();
    await showsFailure({ driver, page }, refusal);
    expect(await inputOf(page)).toEqual(input);
    await press(button);
  }
  await driver.eventually(() => calls.held > 0);
  await driver.eventually(() => button.isDisabled());
  await button.evaluate((element) => {
    element.click();
    element.form?.requestSubmit();
  });
  expect(await inputOf(page)).toEqual(input);
  expect(await times()).toBe(before);
  // Starts to wait before the release, because `shown` may be a message that disappears again.
  const appeared = shown.waitFor();
  calls.release();
  await appeared;
  await driver.eventually(async () => (await times()) !== before);
  expect([calls.sent, calls.held, await times()]).toEqual([sent + 2, 1, before + 1]);
}

/**
 * Makes the request for the rows of a list fail with 500 and 503, then delays it, then lets it pass to the API. Checks that the page shows
 * - each failure, with a button that retries
 * - placeholders while the rows load
 *
 * @param {{ driver: any, page: any, path: RegExp }} list
 * @param {() => Promise<void>} open goes to the list
 */
export async function withListFaults({ driver, page, path }, open) {
  const calls = new Calls(page, 'GET', path);
  await calls.start();
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' });
  const loading = page.getByRole('main').getByRole('status', { name: 'Loading' });
  const failure = calls.fail(500);
  await open();
  await showsFailure({ driver, page }, failure);
  const next = calls.fail(503);
  await retry.click();
  await showsFailure({ driver, page }, next);
  calls.hold();
  await retry.click();
  await driver.eventually(() => calls.held > 0);
  await loading.waitFor();
  expect(await retry.count()).toBe(0);
  calls.release();
  await loading.waitFor({ state: 'detached' });
  expect(await retry.count()).toBe(0);
}
