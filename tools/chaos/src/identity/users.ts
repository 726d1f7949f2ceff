import { randomUUID } from 'node:crypto';
import {
  type Answer,
  call,
  type Call,
  deliverWebhook,
  mintToken,
  newKrn,
  PROFILE,
  purchaseWebhook,
  refundWebhook,
  signable,
  type WebhookTarget,
} from '@tandem/stack-client';
import type { Fate, FinishedUser, VendorUser } from './verdict';

/** The addresses to which the users of the chaos run send their requests. */
export interface IdentityTarget extends WebhookTarget {
  baseUrl: string;
  issuerUrl: string;
  vendorUrl: string;
}

const FATES: readonly Fate[] = ['keeps', 'refunded', 'deleted'];
/** The wait between attempts of a request. Creating a profile fails until the purchase has arrived. */
const RETRY_MS = 1_500;
/** How long a request is repeated without a correct answer before it counts as abandoned. */
const GIVE_UP_MS = 120_000;
/** The wait after a 429, which a user gets after more than 10 attempts a minute to create a profile. */
const LIMITED_MS = 10_000;
const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Plays users who buy a plan and create a profile. Some of them then get a refund, some delete the profile, and the
 * others keep plan and profile.
 *
 * A webhook is repeated until it is accepted. A request of a user is repeated until it has a correct answer or counts
 * as abandoned.
 */
export class UserStream {
  readonly finished: FinishedUser[] = [];
  /** The errors of users who did not finish, such as a request that got no correct answer in time. */
  readonly abandoned: string[] = [];
  /** The users that existed at the vendor before the run. */
  others: ReadonlySet<string> = new Set();
  private started = 0;
  private readonly open = new Set<Promise<void>>();
  private timer?: NodeJS.Timeout;

  /** @param giveUpMs how long a request is repeated without a correct answer before it counts as abandoned */
  constructor(
    private readonly target: IdentityTarget,
    private readonly giveUpMs = GIVE_UP_MS,
  ) {}

  async start(ratePerSecond: number): Promise<void> {
    this.others = new Set((await this.vendorUsers()).map(({ clientKey }) => clientKey));
    this.timer = setInterval(() => {
      const done = this.live(this.started++)
        .catch((error: Error) => void this.abandoned.push(error.message))
        .finally(() => this.open.delete(done));
      this.open.add(done);
    }, 1_000 / ratePerSecond);
  }

  /** Starts no more users, and waits until each user that was started has finished. */
  async finish(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.open);
  }

  async vendorUsers(): Promise<VendorUser[]> {
    const { body } = await call(`${this.target.vendorUrl}/users`);
    return body.users as VendorUser[];
  }

  /**
   * Returns the KRNs of deleted users who have a profile again. Checks only users for whom an attempt to create the
   * profile got no answer, or a status of 500 or more: such an attempt can take effect after the deletion.
   */
  async findReturned(): Promise<ReadonlySet<string>> {
    const returned = new Set<string>();
    for (const { krn } of this.finished.filter(({ fate, hasOpenCreate }) => fate === 'deleted' && hasOpenCreate)) {
      const token = await mintToken(this.target.issuerUrl, krn);
      const answer = await tryCall(`${this.target.baseUrl}/idp/array/users/me`, { method: 'GET', token });
      if (answer?.status === 200) returned.add(krn);
    }
    return returned;
  }

  private async live(index: number): Promise<void> {
    const krn = newKrn('chaos');
    const fate = FATES[index % FATES.length] as Fate;
    const token = await mintToken(this.target.issuerUrl, krn);
    const subscriptionId = `chaosid_${randomUUID()}`;
    await deliverWebhook(this.target, signable(purchaseWebhook({ subscriptionId, krn, plan: 'pro' })));
    const { unanswered } = await this.until('POST', '', token, 'UserAlreadyExists', PROFILE);
    const { body } = await this.until('GET', '/me', token);
    if (fate === 'refunded') await deliverWebhook(this.target, signable(refundWebhook(subscriptionId, krn)));
    if (fate === 'deleted') await this.until('DELETE', '/me', token, 'UserNotFound');
    this.finished.push({ krn, arrayUserId: String(body.arrayUserId), fate, hasOpenCreate: unanswered > 0 });
  }

  /**
   * Repeats a request until the answer is 200, or is the refusal `done`, which shows that an earlier attempt succeeded.
   *
   * @returns the answer, and the number of attempts that got no answer or a status of 500 or more: these attempts can
   *   still take effect
   * @throws Error with the last answer when none of these answers comes within `giveUpMs`
   */
  private async until(
    method: Call['method'],
    path: string,
    token: string,
    done?: string,
    body?: object,
  ): Promise<Answer & { unanswered: number }> {
    let unanswered = 0;
    for (const deadline = Date.now() + this.giveUpMs; ;) {
      const answer = await tryCall(`${this.target.baseUrl}/idp/array/users${path}`, { method, token, body });
      const refusal = Object.keys((answer?.body.BadRequest as object | undefined) ?? {})[0];
      if (answer && (answer.status === 200 || (done !== undefined && refusal === done)))
        return { ...answer, unanswered };
      if (!answer || answer.status >= 500) unanswered++;
      if (Date.now() > deadline) {
        throw new Error(`${method} /idp/array/users${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, answer?.status === 429 ? LIMITED_MS : RETRY_MS));
    }
  }
}

/** Makes a call. @returns null when there is no answer, for example because the process was killed */
const tryCall = (url: string, options: Call): Promise<Answer | null> =>
  call(url, { ...options, timeoutMs: ANSWER_TIMEOUT_MS }).catch(() => null);
