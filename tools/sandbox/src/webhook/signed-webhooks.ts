import { createHmac } from 'node:crypto';
import { SandboxError } from '../errors';

/** A webhook to send. All attempts have the same id and body. */
export interface OutgoingWebhook {
  id: string;
  body: object;
  /** The path that is appended to the receiver's URL. Default: none */
  path?: string;
}

/** The answer to an attempt of a webhook. Without an answer, `status` is null and `error` is the reason. */
export interface WebhookResult {
  id: string;
  status: number | null;
  error?: string;
  /** Whether the webhook is retried automatically: after no answer, a 429 or a 5xx, while attempts are left. */
  retries: boolean;
}

/** Describes the answer to a webhook for people. The text is not escaped. */
export const outcomeOf = ({ status, error }: WebhookResult): string =>
  status === 200 ? 'accepted (200)' : (error ?? `answered ${status}`);

/** Returns true if the receiver did not accept a webhook, and the webhook will not be retried automatically. */
export const isRefused = ({ status, retries }: WebhookResult): boolean => status !== 200 && !retries;

/** The receiver of webhooks, and the secret with which they are signed. */
export interface WebhookReceiver {
  url: string;
  /** `whsec_` and base64. */
  secret: string;
  userAgent: string;
  /** The waits before the second and later attempts. A `Retry-After` can make a wait longer. */
  retryDelaysMs?: readonly number[];
}

const TIMEOUT_MS = 20_000;
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 60_000, 300_000];
/** The maximum number of sent webhooks that are kept, so that they can be shown and sent again. */
const REMEMBERED = 5_000;

/** Sends webhooks signed as Standard Webhooks specifies, and retries them as providers do: after no answer, a 429 or a 5xx. */
export class SignedWebhooks {
  readonly #receiver: WebhookReceiver;
  readonly #key: Buffer;
  readonly #retryDelaysMs: readonly number[];
  readonly #sent = new Map<string, OutgoingWebhook>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(receiver: WebhookReceiver) {
    this.#receiver = receiver;
    this.#retryDelaysMs = receiver.retryDelaysMs ?? RETRY_DELAYS_MS;
    this.#key = Buffer.from(receiver.secret.replace(/^whsec_/, ''), 'base64');
  }

  /**
   * Sends a webhook, and returns the answer to the first attempt. Later attempts run in the background. A failure of the receiver does not
   * throw.
   */
  send(webhook: OutgoingWebhook): Promise<WebhookResult> {
    this.#sent.set(webhook.id, webhook);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > REMEMBERED && oldest) this.#sent.delete(oldest);
    return this.#attempt(webhook, 0);
  }

  /** Cancels the scheduled attempts. An attempt that is in progress continues, and may schedule another one. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Sends a webhook once more with the same id and body and a new signature, like a provider that did not receive the answer. */
  async resend(id: string): Promise<WebhookResult> {
    const { status, error } = await this.#post(this.#get(id));
    return { id, status, ...(error !== undefined && { error }), retries: false };
  }

  /** Returns the body that was sent. @throws SandboxError when it was never sent, or is no longer stored */
  bodyOf(id: string): object {
    return this.#get(id).body;
  }

  #get(id: string): OutgoingWebhook {
    const webhook = this.#sent.get(id);
    if (!webhook) throw new SandboxError(404, `no webhook ${id} was sent`);
    return webhook;
  }

  async #attempt(webhook: OutgoingWebhook, number: number): Promise<WebhookResult> {
    const { retryAfterMs, ...result } = await this.#post(webhook);
    const delayMs = this.#retryDelaysMs[number];
    if (delayMs === undefined || !isRetried(result.status)) return result;
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void this.#attempt(webhook, number + 1);
      },
      Math.max(delayMs, retryAfterMs),
    ).unref();
    this.#timers.add(timer);
    return { ...result, retries: true };
  }

  async #post({ id, body: value, path = '' }: OutgoingWebhook): Promise<WebhookResult & { retryAfterMs: number }> {
    const { url, userAgent } = this.#receiver;
    const body = JSON.stringify(value);
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', this.#key).update(`${id}.${timestamp}.${body}`).digest('base64');
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': userAgent,
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': `v1,${signature}`,
        },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      const retryAfterMs = (Number(response.headers.get('retry-after')) || 0) * 1000;
      return { id, status: response.status, retries: false, retryAfterMs };
    } catch (error) {
      return { id, status: null, error: describe(error), retries: false, retryAfterMs: 0 };
    }
  }
}

const isRetried = (status: number | null): boolean => status === null || status === 429 || status >= 500;

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause?.code ?? error.message;
}
