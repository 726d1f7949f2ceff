export const MANAGER = 'Mia Manager';
export const SUPPORT = 'Sam Support';

/** Waits until a page shows a text. */
export const text = (page, words) => page.getByText(words, { exact: false }).first().waitFor();

/** Presses the first button with the given name. */
export const press = (page, name) => page.getByRole('button', { name, exact: true }).first().click();

/** Presses the button with the given name in the open dialog. */
export const confirm = (page, name) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

/** Returns the text of the focused element. */
export const focused = (page) => page.evaluate(() => document.activeElement?.textContent);
