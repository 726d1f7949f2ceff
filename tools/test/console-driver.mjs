import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requestJson } from '../stack/http.mjs';

const WAIT_MS = 20_000;
/** The maximum number of key presses to reach an element. */
const TABS = 80;
/**
 * Matches a partner's token, and a JWT whose header begins with `alg`, `typ` or `kid`. A match of `eyJ` alone is not enough, because random
 * values sometimes contain it.
 */
const TOKEN = /ptk_|eyJ(?:hbGci|0eXAi|raWQi)/;

/** Gives the tests of the console access to the APIs, the sandbox, and the windows of a browser. */
export class ConsoleDriver {
  /** The errors that the browser reported: violations of the Content-Security-Policy, and script errors. */
  complaints = [];
  /** Texts from the browser's storage, addresses and console, each with the place where it was found. */
  #traces = [];
  #portalCodes = [];

  /** @param {{ baseUrl: string, sandbox: any, partners: any, support: any }} stack @param {any} browser */
  constructor(stack, browser) {
    this.stack = stack;
    this.browser = browser;
  }

  get url() {
    return `${this.stack.baseUrl}/console`;
  }

  /** Opens a separate window at a path of the console or at a full URL. */
  async open(at, look = { width: 1280, colorScheme: 'light' }) {
    const page = await this.browser.open('about:blank', look);
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      this.#traces.push(['the console of the browser', message.text()]);
      if (/Content Security Policy|Refused to/.test(message.text())) this.complaints.push(message.text());
    });
    // Drops the fragment, which has the code of a portal link: browsers do not send it to the server.
    page.on('request', (request) => this.#traces.push(['an address', request.url().split('#')[0]]));
    page.on('response', (response) => this.#keepCode(response).catch((error) => this.complaints.push(error.message)));
    await page.goto(at.startsWith('http') ? at : this.url + at);
    return page;
  }

  /** Remembers the code of a portal link that was created in a window, so that `leaksIn` can search for it. */
  async #keepCode(response) {
    if (!response.url().endsWith('/portal-links') || response.status() !== 201) return;
    this.#portalCodes.push((await response.json()).url.split('#')[1]);
  }

  /** Opens a path of the console in a separate window, and signs a user in at the sandbox's provider. */
  async signIn(who, at = '/', look = undefined) {
    const page = await this.open(at, look);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: who }).click();
    await page.waitForURL((url) => url.href.startsWith(this.url) && !url.pathname.endsWith('/signed-in'));
    await this.#started(page);
    return page;
  }

  /**
   * Waits until the start page, which has no heading, has redirected to the first screen of a session. A `goTo` before this redirect would
   * be undone by the redirect.
   */
  async #started(page) {
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.locator('h1').waitFor();
  }

  /** Goes to another screen without loading the page, because a load would end the session. */
  async goTo(page, at) {
    await page.evaluate((path) => {
      history.pushState({}, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `/console${at}`);
    await page.locator('h1').waitFor();
  }

  /** Creates a portal link of a partner. @returns its URL */
  async portalLink({ id }, options = {}) {
    const { url } = await this.manage('POST', `/admin/partners/${id}/portal-links`, {
      environment: 'live',
      ...options,
    });
    this.#portalCodes.push(url.split('#')[1]);
    return url;
  }

  /**
   * Opens the portal of a partner with a new link.
   *
   * @param {{ id: string }} partner
   * @param {{ look?: any, environment?: string, readOnly?: boolean }} [settings]
   */
  async openPortal(partner, { look, ...options } = {}) {
    const page = await this.open(await this.portalLink(partner, options), look);
    await this.#started(page);
    return page;
  }

  /** Closes a window, and keeps its address and the content of its storage for `leaksIn`. */
  async close(page) {
    const context = page.context();
    const { cookies, origins } = await context.storageState();
    const session = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    this.#traces.push(['storage', JSON.stringify([cookies, origins]) + session], ['an address', page.url()]);
    await context.close();
  }

  /** Returns the places where a token or a portal code was found: in the traces of the windows, or in the logs of the stack in `home`. */
  leaksIn(home) {
    const logs = path.join(home, 'logs');
    const files = fs.readdirSync(logs).map((name) => [name, fs.readFileSync(path.join(logs, name), 'utf8')]);
    const isLeak = (text) => TOKEN.test(text) || this.#portalCodes.some((code) => text.includes(code));
    return [...this.#traces, ...files].flatMap(([place, text]) =>
      text.split('\n').flatMap((line) => (isLeak(line) ? [`${place}: ${line}`] : [])),
    );
  }

  /** Presses `key` until the element with the given name has the focus. @throws when 80 presses do not reach the element */
  async focus(page, name, key = 'Tab') {
    for (let steps = 0; steps < TABS; steps += 1) {
      await page.keyboard.press(key);
      const focused = await page.evaluate(() => {
        const { ariaLabel, labels, textContent } = /** @type {any} */ (document.activeElement ?? {});
        return ariaLabel ?? labels?.[0]?.textContent ?? textContent ?? '';
      });
      if (focused.trim() === name) return;
    }
    throw new Error(`the keyboard does not reach ${name}`);
  }

  async manage(method, path, body) {
    const answer = await requestJson(method, this.stack.baseUrl + path, {
      token: this.stack.partners.manager.token,
      body,
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Calls the support API about a user. */
  async support(method, krn, body, path = '') {
    const answer = await requestJson(
      method,
      `${this.stack.baseUrl}/idp/support/users/${encodeURIComponent(krn)}${path}`,
      { token: this.stack.support.token, body },
    );
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Locks a user, by making the vendor refuse the user's identity once. */
  async lock({ token2fa }) {
    const fault = { route: 'verify', fault: 'refuse', times: 1 };
    await requestJson('PUT', `${this.stack.sandbox.vendor}/faults`, { body: fault });
    const refused = await requestJson('PATCH', `${this.stack.baseUrl}/idp/array/users/me`, {
      token: token2fa,
      body: { ssn: '6789' },
    });
    if (refused.status !== 429) throw new Error(`the user is not locked: ${JSON.stringify(refused.body)}`);
  }

  /** Returns the number of entries for an action on the first page of support's audit trail. */
  async supportActs(action) {
    const answer = await requestJson('GET', `${this.stack.baseUrl}/idp/support/audit?action=${action}`, {
      token: this.stack.support.token,
    });
    return answer.body.items.length;
  }

  /** Creates a promotion partner with a code and an endpoint in its own inbox. */
  async partner(name = `Shop ${randomUUID().slice(0, 8)}`) {
    const { id } = await this.manage('POST', '/admin/partners', { name, kind: 'promotion' });
    const code = `C${randomUUID().slice(0, 8).toUpperCase()}`;
    await this.manage('POST', `/admin/partners/${id}/promotions`, { code, percentOff: 20 });
    const { token } = await this.manage('POST', `/admin/partners/${id}/tokens`, { environment: 'live' });
    const inbox = `console-${randomUUID().slice(0, 8)}`;
    await this.setEndpoint({ token }, `${this.stack.sandbox.endpoints}/${inbox}`);
    return { id, name, code, token, inbox };
  }

  /** Sets the endpoint of a partner. */
  async setEndpoint({ token }, url) {
    const saved = await requestJson('POST', `${this.stack.baseUrl}/api/v2/partner/postback`, {
      token,
      body: { url, authMethod: 'Bearer', key: 'a-key' },
    });
    if (saved.status >= 300) throw new Error(`no endpoint: ${JSON.stringify(saved.body)}`);
  }

  /** Makes a sale, and waits until the manager API lists it as no longer pending. @returns the sale's oid */
  async sell({ id, code }, { email = `buyer-${randomUUID()}@example.com`, data4 = 'order-1' } = {}) {
    const bought = await requestJson('POST', `${this.stack.sandbox.store}/buy`, {
      body: { email, promotionCode: code, data4 },
    });
    if (bought.status !== 201) throw new Error(`nothing was bought: ${JSON.stringify(bought.body)}`);
    const oid = bought.body.subscriptionId;
    await this.eventually(async () => {
      const { items } = await this.manage('GET', `/admin/sales?oid=${encodeURIComponent(oid)}`);
      return items.some((sale) => sale.partnerId === id && sale.status !== 'pending');
    });
    return oid;
  }

  /** Sets the answers of a partner's inbox. */
  async behave({ inbox }, behaviour) {
    const answer = await requestJson('PUT', `${this.stack.sandbox.inbox}/${inbox}/behaviour`, { body: behaviour });
    if (answer.status >= 300) throw new Error(`the inbox refused: ${JSON.stringify(answer.body)}`);
  }

  async eventually(isTrue) {
    for (const deadline = Date.now() + WAIT_MS; ; await delay(100)) {
      if (await isTrue()) return;
      if (Date.now() > deadline) throw new Error(`the condition did not hold within ${WAIT_MS / 1000} s`);
    }
  }
}
