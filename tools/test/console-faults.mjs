import { randomUUID } from 'node:crypto';

/** How often the button is pressed before the page can render. */
const PRESSES = 3;

/** The requests of a page to one endpoint. The test answers them with failures, or holds them until it lets them pass to the API. */
class Calls {
  /** How many requests the page sent, and how many of them were held. */
  sent = 0;
  held = 0;
  /** Lets the held requests pass. */
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

  /** Answers the requests from now on with a failure. */
  fail(status, times = Infinity) {
    const shown = { detail: `The test answers ${status}.`, requestId: `req-${randomUUID()}` };
    this.#failure = { answer: { status, json: shown }, times };
    return shown;
  }

  /** Refuses the token of one request, and holds the requests after it. */
  refuseOnce() {
    this.hold();
    return this.fail(401, 1);
  }

  /** Holds the requests from now on. */
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

/** Returns what a person has entered on the page. */
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

/** All windows share one clipboard, so only one of them may use it at a time. */
function withClipboard(work) {
  const use = clipboardUse.then(work);
  clipboardUse = use.catch(() => undefined);
  return use;
}

/** Checks that a failure is shown, can be selected, and that its request id can be copied. */
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
 * Lets the API call of an action fail with 500, 503 and a refused token before it passes, slowly, to the API. Checks that the page shows each
 * failure and keeps the input, that only one request is sent however often the button is pressed, and that the API does the action once.
 *
 * @param {{ driver: any, page: any, isPartner: boolean }} session  staff get a new token in the background; a partner needs a new link
 * @param {{ call: [method: string, path: RegExp], button: any, shown: any, times: () => number | Promise<number> }} action  its form is
 *   filled in; `shown` appears after success; `times` is how often the API has done it
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
  // Some of what appears is a message that disappears again.
  const appeared = shown.waitFor();
  calls.release();
  await appeared;
  await driver.eventually(async () => (await times()) !== before);
  expect([calls.sent, calls.held, await times()]).toEqual([sent + 2, 1, before + 1]);
}

/**
 * Lets the rows of a list fail to load with 500 and 503, and then load slowly. Checks that the page shows each failure with a retry, and
 * placeholders while it loads.
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
