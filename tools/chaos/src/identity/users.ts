import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { deliverWebhook, type PaymentsWebhook, type WebhookTarget } from '../webhooks';
import type { Fate, FinishedUser, VendorUser } from './verdict';

/** Where users of the chaos run go. */
export interface IdentityTarget extends WebhookTarget {
  baseUrl: string;
  issuerUrl: string;
  vendorUrl: string;
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

const FATES: readonly Fate[] = ['keeps', 'refunded', 'deleted'];
/** A user may create 10 times a minute: until the purchase has arrived, each try waits so long. */
const RETRY_MS = 1_500;
/** A request that is not answered correctly for this long is abandoned. */
const GIVE_UP_MS = 120_000;
const LIMITED_MS = 10_000;
const ANSWER_TIMEOUT_MS = 15_000;
/** What a user is created with. */
export const PROFILE = {
  firstName: 'Chaos',
  lastName: 'Tester',
  dob: '1980-01-01',
  emailAddress: 'chaos@example.com',
  address: { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' },
  version: 1,
};

/** Users that buy, create a profile, and keep it, get their money back, or leave: each request is repeated until it is answered. */
export class UserStream {
  readonly finished: FinishedUser[] = [];
  /** Users whose requests were not answered in time, and what came last. */
  readonly abandoned: string[] = [];
  /** Who the vendor had before the run. */
  others: ReadonlySet<string> = new Set();
  private started = 0;
  private readonly open = new Set<Promise<void>>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly target: IdentityTarget) {}

  async start(ratePerSecond: number): Promise<void> {
    this.others = new Set((await this.vendorUsers()).map(({ clientKey }) => clientKey));
    this.timer = setInterval(() => {
      const done = this.live(this.started++)
        .catch((error: Error) => void this.abandoned.push(error.message))
        .finally(() => this.open.delete(done));
      this.open.add(done);
    }, 1_000 / ratePerSecond);
  }

  /** Ends the stream, and waits until each user that has begun is through. */
  async finish(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.open);
  }

  async vendorUsers(): Promise<VendorUser[]> {
    const { body } = await call('GET', `${this.target.vendorUrl}/users`);
    return body.users as VendorUser[];
  }

  private async live(index: number): Promise<void> {
    const krn = `krn:tandem:chaos:user:${randomUUID()}`;
    const fate = FATES[index % FATES.length] as Fate;
    const minted = await call('POST', `${this.target.issuerUrl}/token`, {
      body: { family: 'service', sub: krn, amr: ['mfa'] },
    });
    const token = String(minted.body.token);
    const subscriptionId = `chaosid_${randomUUID()}`;
    await deliverWebhook(this.target, purchaseOf(subscriptionId, krn));
    await this.until('POST', '', token, 'UserAlreadyExists', PROFILE);
    const { body } = await this.until('GET', '/me', token);
    if (fate === 'refunded') await deliverWebhook(this.target, refundOf(subscriptionId, krn));
    if (fate === 'deleted') await this.until('DELETE', '/me', token, 'UserNotFound');
    this.finished.push({ krn, arrayUserId: String(body.arrayUserId), fate });
  }

  /** Asks until the answer is 200, or the refusal that says that an earlier try was carried out. */
  private async until(method: string, path: string, token: string, done?: string, body?: object): Promise<Answer> {
    for (const deadline = Date.now() + GIVE_UP_MS; ;) {
      const answer = await tryCall(method, `${this.target.baseUrl}/idp/array/users${path}`, { token, body });
      const refusal = Object.keys((answer?.body.BadRequest as object | undefined) ?? {})[0];
      if (answer && (answer.status === 200 || (done !== undefined && refusal === done))) return answer;
      if (Date.now() > deadline) {
        throw new Error(`${method} /idp/array/users${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, answer?.status === 429 ? LIMITED_MS : RETRY_MS));
    }
  }
}

/** @returns null without an answer: the process that should have answered was killed */
const tryCall = (...parameters: Parameters<typeof call>): Promise<Answer | null> =>
  call(...parameters).catch(() => null);

async function call(
  method: 'GET' | string,
  url: string,
  sent: { token?: string; body?: object } = {},
): Promise<Answer> {
  const answer = await request(url, {
    method: method as 'GET',
    headers: {
      ...(sent.token && { authorization: `Bearer ${sent.token}` }),
      ...(sent.body && { 'content-type': 'application/json' }),
    },
    ...(sent.body && { body: JSON.stringify(sent.body) }),
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, body: (text ? JSON.parse(text) : {}) as Record<string, unknown> };
}

const envelope = (type: string, data: object): PaymentsWebhook => ({
  id: `evt_${randomUUID()}`,
  type,
  timestamp: new Date().toISOString(),
  data,
});

/** Billing's webhook of a purchase that entitles to everything. */
export const purchaseOf = (subscriptionId: string, krn: string): PaymentsWebhook =>
  envelope('subscription.purchased', {
    subscriptionId,
    customer: { krn, email: `${subscriptionId}@example.com` },
    plan: 'pro',
    entitlements: ['idp.identity', 'idp.credit', 'idp.removal', 'idp.titles'],
    currency: 'USD',
    amount: '129.95',
    paymentStatus: 'captured',
    firstPayment: true,
    items: [{ price: '129.95', category: 'Pro' }],
  });

const refundOf = (subscriptionId: string, krn: string): PaymentsWebhook =>
  envelope('subscription.refunded', { subscriptionId, customer: { krn } });
