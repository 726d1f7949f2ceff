import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requestJson } from '../stack/http.mjs';

const WAIT_MS = 20_000;
/** The most elements between two that a person reaches with the Tab key. */
const TABS = 80;
/** A partner's token, and a JWT, whose header begins with `alg`, `typ` or `kid`. Random values contain `eyJ` now and then. */
const TOKEN = /ptk_|eyJ(?:hbGci|0eXAi|raWQi)/;

/** The surroundings of a test of the console: APIs, the store, and the windows of a browser. */
export class ConsoleDriver {
  /** The errors that the browser reported: violations of the policy, failed scripts. */
  complaints = [];
  /** What the browser stored, requested and logged, by the place. */
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
    // A browser sends no fragment, in which a portal link has its code.
    page.on('request', (request) => this.#traces.push(['an address', request.url().split('#')[0]]));
    page.on('response', (response) => this.#keepCode(response).catch((error) => this.complaints.push(error.message)));
    await page.goto(at.startsWith('http') ? at : this.url + at);
    return page;
  }

  /** Keeps the code of a portal link that was created in a window. */
  async #keepCode(response) {
    if (!response.url().endsWith('/portal-links') || response.status() !== 201) return;
    this.#portalCodes.push((await response.json()).url.split('#')[1]);
  }

  /** Signs a user in at the sandbox's provider on the way to a path. */
  async signIn(who, at = '/', look = undefined) {
    const page = await this.open(at, look);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: who }).click();
    await page.waitForURL((url) => url.href.startsWith(this.url) && !url.pathname.endsWith('/signed-in'));
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return page;
  }

  /** Goes to another screen in the same session, which a load of the page would end. */
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
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return page;
  }

  /** Closes a window, and keeps what it has stored for `leaksIn`. */
  async close(page) {
    const context = page.context();
    const { cookies, origins } = await context.storageState();
    const session = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    this.#traces.push(['storage', JSON.stringify([cookies, origins]) + session], ['an address', page.url()]);
    await context.close();
  }

  /** Returns where a token or a portal code was left: in the closed windows, or in the logs of the stack in `home`. */
  leaksIn(home) {
    const logs = path.join(home, 'logs');
    const files = fs.readdirSync(logs).map((name) => [name, fs.readFileSync(path.join(logs, name), 'utf8')]);
    const isLeak = (text) => TOKEN.test(text) || this.#portalCodes.some((code) => text.includes(code));
    return [...this.#traces, ...files].flatMap(([place, text]) =>
      text.split('\n').flatMap((line) => (isLeak(line) ? [`${place}: ${line}`] : [])),
    );
  }

  /** Presses a key until the focus is on the element with a name. */
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

  /** Locks a user: the vendor refuses the user's identity once. */
  async lock({ token2fa }) {
    const fault = { route: 'verify', fault: 'refuse', times: 1 };
    await requestJson('PUT', `${this.stack.sandbox.vendor}/faults`, { body: fault });
    const refused = await requestJson('PATCH', `${this.stack.baseUrl}/idp/array/users/me`, {
      token: token2fa,
      body: { ssn: '6789' },
    });
    if (refused.status !== 429) throw new Error(`the user is not locked: ${JSON.stringify(refused.body)}`);
  }

  /** Returns how many of the newest actions in support's audit trail are of a kind. */
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

  /** Makes a sale, and waits until the platform has it. @returns the sale's id */
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

  /** Sets how an inbox answers from now on. */
  async behave({ inbox }, behaviour) {
    const answer = await requestJson('PUT', `${this.stack.sandbox.inbox}/${inbox}/behaviour`, { body: behaviour });
    if (answer.status >= 300) throw new Error(`the inbox refused: ${JSON.stringify(answer.body)}`);
  }

  async eventually(isTrue) {
    for (const deadline = Date.now() + WAIT_MS; ; await delay(100)) {
      if (await isTrue()) return;
      if (Date.now() > deadline) throw new Error('it did not happen in time');
    }
  }
}
