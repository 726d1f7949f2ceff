import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { requestJson } from '../stack/http.mjs';

const WAIT_MS = 20_000;

/** The surroundings of a test of the console: APIs, the store, and the windows of a browser. */
export class ConsoleDriver {
  /** The errors that the browser reported: violations of the policy, failed scripts. */
  complaints = [];

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
      if (/Content Security Policy|Refused to/.test(message.text())) this.complaints.push(message.text());
    });
    await page.goto(at.startsWith('http') ? at : this.url + at);
    return page;
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

  /** Creates a promotion partner with a code and an endpoint in its own inbox. */
  async partner(name = `Shop ${randomUUID().slice(0, 8)}`) {
    const { id } = await this.manage('POST', '/admin/partners', { name, kind: 'promotion' });
    const code = `C${randomUUID().slice(0, 8).toUpperCase()}`;
    await this.manage('POST', `/admin/partners/${id}/promotions`, { code, percentOff: 20 });
    const { token } = await this.manage('POST', `/admin/partners/${id}/tokens`, { environment: 'live' });
    const inbox = `console-${randomUUID().slice(0, 8)}`;
    const saved = await requestJson('POST', `${this.stack.baseUrl}/api/v2/partner/postback`, {
      token,
      body: { url: `${this.stack.sandbox.endpoints}/${inbox}`, authMethod: 'Bearer', key: 'a-key' },
    });
    if (saved.status !== 201) throw new Error(`no endpoint: ${JSON.stringify(saved.body)}`);
    return { id, name, code, token, inbox };
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
