import { createHmac, randomUUID } from 'node:crypto';
import { SandboxError } from '../errors';

/** What billing sends: the Standard Webhooks envelope. */
export interface PaymentsWebhook {
  id: string;
  type: string;
  timestamp: string;
  data: object;
}

/** How a webhook was answered; `status` is null when no answer came, and `error` says why. */
export interface WebhookResult {
  id: string;
  status: number | null;
  error?: string;
  /** Whether it is sent again without being asked: after no answer, 429 or 5xx, while attempts are left. */
  retries: boolean;
}

const TIMEOUT_MS = 20_000;
/** How long billing waits after each attempt that was not accepted; a `Retry-After` makes a wait longer. */
const RETRY_DELAYS_MS = [1_000, 5_000, 15_000, 60_000, 300_000];
/** How many earlier webhooks can be read and sent again. */
const REMEMBERED = 5_000;

/** Sends signed payments webhooks; after no answer, 429 or 5xx it sends them again, as billing does. */
export class PaymentsWebhooks {
  readonly #url: string;
  readonly #key: Buffer;
  readonly #retryDelaysMs: readonly number[];
  readonly #sent = new Map<string, PaymentsWebhook>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(url: string, secret: string, retryDelaysMs: readonly number[] = RETRY_DELAYS_MS) {
    this.#retryDelaysMs = retryDelaysMs;
    this.#url = url;
    this.#key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  }

  send(type: string, data: object): Promise<WebhookResult> {
    const webhook = { id: `pay_${randomUUID()}`, type, timestamp: new Date().toISOString(), data };
    this.#sent.set(webhook.id, webhook);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > REMEMBERED && oldest) this.#sent.delete(oldest);
    return this.#attempt(webhook, 0);
  }

  /** Cancels all retries. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Sends a webhook once more with a new signature, as a provider does whose first request got no answer. */
  async resend(id: string): Promise<WebhookResult> {
    const { id: sent, status, error } = await this.#post(this.get(id));
    return { id: sent, status, ...(error !== undefined && { error }), retries: false };
  }

  /** @throws SandboxError 404 when it was never sent, or more than 5,000 were sent since */
  get(id: string): PaymentsWebhook {
    const webhook = this.#sent.get(id);
    if (!webhook) throw new SandboxError(404, `the store has no webhook ${id}`);
    return webhook;
  }

  /** Resolves with the answer to this attempt; later attempts run in the background. */
  async #attempt(webhook: PaymentsWebhook, number: number): Promise<WebhookResult> {
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

  async #post(webhook: PaymentsWebhook): Promise<WebhookResult & { retryAfterMs: number }> {
    const body = JSON.stringify(webhook);
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', this.#key).update(`${webhook.id}.${timestamp}.${body}`).digest('base64');
    try {
      const response = await fetch(
        webhook.type === 'subscription.plan_changed' ? `${this.#url}/plan-change` : this.#url,
        {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'user-agent': 'tandem-sandbox-store/1.0',
            'webhook-id': webhook.id,
            'webhook-timestamp': String(timestamp),
            'webhook-signature': `v1,${signature}`,
          },
          body,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
      );
      await response.arrayBuffer();
      const retryAfterMs = (Number(response.headers.get('retry-after')) || 0) * 1000;
      return { id: webhook.id, status: response.status, retries: false, retryAfterMs };
    } catch (error) {
      return { id: webhook.id, status: null, error: describe(error), retries: false, retryAfterMs: 0 };
    }
  }
}

const isRetried = (status: number | null): boolean => status === null || status === 429 || status >= 500;

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause?.code ?? error.message;
}
