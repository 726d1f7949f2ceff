export const MANAGER = 'Mia Manager';
export const SUPPORT = 'Sam Support';
export const NARROW = { width: 360, colorScheme: 'dark' };
export const WIDE = { width: 1280, colorScheme: 'light' };

/** Waits until a page shows a text. */
export const text = (page, words) => page.getByText(words, { exact: false }).first().waitFor();

/** Presses the first button with the given name. */
export const press = (page, name) => page.getByRole('button', { name, exact: true }).first().click();

/** Presses the button with the given name in the open dialog. */
export const confirm = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

/** Makes a page load its outdated data again, as when the user comes back to its window. */
export const comeBack = (page) => page.evaluate(() => dispatchEvent(new Event('visibilitychange')));

/** Changes the answers that a page receives from the API. Drops an answer that the page no longer waits for. */
export const changeAnswers = (page, url, change) =>
  page.route(url, async (route) => {
    try {
      await route.fulfill({ json: change(await (await route.fetch()).json()) });
    } catch {
      await route.abort().catch(() => undefined);
    }
  });

/** Waits until a page has loaded its data, and its colors no longer change. */
export const settled = async (page) => {
  await page.locator('h1').waitFor();
  await page.waitForLoadState('networkidle');
  // Waits until colors have faded in and the highlights of selected options have moved, because axe cannot judge contrasts until then. The
  // transitions may begin a moment after the data has arrived.
  await page.waitForTimeout(300);
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.playState !== 'running' || one.effect?.getTiming().iterations === Infinity),
  );
};

/** Returns the text of the focused element. */
export const focused = (page) => page.evaluate(() => document.activeElement?.textContent);

/**
 * Lets the next request with the given method and path pass to the API, and loses its answer.
 *
 * @param {any} page @param {string} method @param {RegExp} path
 */
export async function loseAnswer(page, method, path) {
  const matches = (url) => path.test(url.pathname);
  let isLost = false;
  await page.route(matches, async (route) => {
    if (isLost || route.request().method() !== method) return route.fallback();
    isLost = true;
    await route.fetch();
    return route.abort();
  });
}

/** Repeats `comeBack` until the page has loaded a path of the API again, because a page does not reload data that is only seconds old. */
export async function comeBackUntilLoaded(driver, page, path) {
  let loads = 0;
  const count = (response) => {
    if (response.request().method() === 'GET' && path.test(new URL(response.url()).pathname)) loads += 1;
  };
  page.on('response', count);
  await driver.eventually(async () => {
    await comeBack(page);
    return loads > 0;
  });
  page.off('response', count);
}
