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
}

const TIMEOUT_MS = 20_000;
/** Webhooks of before that can be looked at and sent again. */
const REMEMBERED = 5_000;

/** Sends signed payments webhooks. One attempt each: a sender that wants to try again calls `resend`. */
export class PaymentsWebhooks {
  readonly #url: string;
  readonly #key: Buffer;
  readonly #sent = new Map<string, PaymentsWebhook>();

  constructor(url: string, secret: string) {
    this.#url = url;
    this.#key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  }

  send(type: string, data: object): Promise<WebhookResult> {
    const webhook = { id: `pay_${randomUUID()}`, type, timestamp: new Date().toISOString(), data };
    this.#sent.set(webhook.id, webhook);
    const [oldest] = this.#sent.keys();
    if (this.#sent.size > REMEMBERED && oldest) this.#sent.delete(oldest);
    return this.#post(webhook);
  }

  /** The same webhook once more, freshly signed, as a provider does that missed the answer. */
  resend(id: string): Promise<WebhookResult> {
    return this.#post(this.get(id));
  }

  /** @throws SandboxError when it was never sent, or is forgotten */
  get(id: string): PaymentsWebhook {
    const webhook = this.#sent.get(id);
    if (!webhook) throw new SandboxError(404, `the store has no webhook ${id}`);
    return webhook;
  }

  async #post(webhook: PaymentsWebhook): Promise<WebhookResult> {
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
      return { id: webhook.id, status: response.status };
    } catch (error) {
      return { id: webhook.id, status: null, error: describe(error) };
    }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause?.code ?? error.message;
}
