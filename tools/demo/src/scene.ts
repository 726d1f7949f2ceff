import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Call, Client } from './client';
import { Inbox } from './inbox';
import type { Narrator } from './narrator';
import type { Stack } from '@tandem/stack-client';

export interface Bought {
  oid: string;
  webhookId: string;
}

const SETTLED_MS = 20_000;

/** The actors of the story and their requests to the platform, which all parts of the story share. */
export class Scene {
  /** A random part of every generated name, so that the demo can run again on the data of earlier runs. */
  readonly run = randomBytes(4).toString('hex');
  private buyers = 0;

  constructor(
    readonly stack: Stack,
    readonly narrator: Narrator,
    readonly client: Client,
  ) {}

  /** Returns an inbox in the sandbox. Only this run uses this inbox. */
  inbox(name: string): Inbox {
    const { inbox, endpoints } = this.stack.sandbox;
    const folder = `${name}-${this.run}`;
    return new Inbox(this.client, `${inbox}/${folder}`, `${endpoints}/${folder}`);
  }

  /** Makes a request as the partner manager. */
  manager(method: string, path: string, call: Omit<Call, 'token'> = {}): Promise<Answer> {
    return this.client.call(method, `${this.stack.baseUrl}/admin${path}`, {
      ...call,
      token: this.stack.partners.manager.token,
    });
  }

  /** Makes a request as a partner. */
  partner(token: string, method: string, path: string, call: Omit<Call, 'token'> = {}): Promise<Answer> {
    return this.client.call(method, `${this.stack.baseUrl}/api/v2/partner${path}`, { ...call, token });
  }

  /** Creates, as the manager, a partner for this run only. @returns its id */
  async createPartner(body: { name: string; kind: 'promotion' | 'voucher'; contactEmail?: string }): Promise<string> {
    const created = await this.manager('POST', '/partners', { body });
    this.expectStatus(created, 201);
    return String(created.body.id);
  }

  /** Issues a token for a partner, as the manager. @returns the token, and the id by which the manager refers to it */
  async issueToken(
    partnerId: string,
    environment: 'live' | 'test',
    scopes: readonly string[],
  ): Promise<{ id: string; token: string }> {
    const issued = await this.manager('POST', `/partners/${partnerId}/tokens`, { body: { environment, scopes } });
    this.expectStatus(issued, 201);
    const token = String(issued.body.token);
    this.narrator.check(
      `the token has the form of a ${environment} token`,
      new RegExp(`^ptk_${environment}_[0-9A-Za-z]{38}$`).test(token),
    );
    return { id: String(issued.body.id), token };
  }

  /** Issues an access token for a user, by default from the service issuer. */
  async mint(sub: string, claims: { family?: 'service' | 'openid'; amr?: string[] } = {}): Promise<string> {
    const body = { family: 'service', sub, ...claims };
    const minted = await this.client.call('POST', `${this.stack.sandbox.issuer}/token`, { body });
    this.expectStatus(minted, 201);
    return String(minted.body.token);
  }

  /** Buys as a customer at the sandbox's store, and checks that the platform accepts the store's webhook. */
  async buy(order: object): Promise<Bought> {
    const email = `demo.${this.run}.${++this.buyers}@example.com`;
    const body = { email, ...order };
    const bought = await this.client.call('POST', `${this.stack.sandbox.store}/buy`, { body });
    this.expectStatus(bought, 201);
    const webhook = bought.body.webhook as { id: string; status: number | null };
    this.narrator.equal('the signed webhook was accepted', webhook.status, 200);
    return { oid: String(bought.body.subscriptionId), webhookId: webhook.id };
  }

  /** The masked form of the last generated customer address. */
  get lastBuyerMasked(): string {
    return `d***${String(this.buyers).slice(-1)}@example.com`;
  }

  /** Calls `find` until it returns a result. @param what the expected state, for the error @throws on a timeout */
  async until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
    for (const deadline = Date.now() + SETTLED_MS; ; await delay(100)) {
      const found = await find();
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`${what}: not within ${SETTLED_MS / 1000} s`);
    }
  }

  /** Waits until the manager's list of sales with this status contains the sale. @returns the sale in the list */
  async untilListed(oid: string, status: string): Promise<Record<string, unknown>> {
    return this.until(`the sale ${oid} is ${status}`, async () => {
      const { body } = await this.manager('GET', `/sales?status=${status}`, { silent: true });
      return (body.items as Record<string, unknown>[]).find((sale) => sale.oid === oid);
    });
  }

  /** Checks the status of an answer. @throws CheckFailedError with the answer's text when the status differs */
  expectStatus(answer: Answer, status: number): void {
    const found = `${answer.status} ${answer.text.slice(0, 500)}`;
    this.narrator.check(`the answer is ${status}`, answer.status === status, found);
  }

  /** Checks the status and the error code of a refusal. @throws CheckFailedError when one of them differs */
  expectRefusal(what: string, answer: Answer, status: number, code: string): void {
    this.narrator.equal(what, [answer.status, answer.body.code], [status, code]);
  }
}
