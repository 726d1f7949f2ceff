import { signWebhook } from '@tandem/auth';
import { request } from 'undici';

/** Where billing's webhooks go, and what signs them. */
export interface WebhookTarget {
  webhookUrl: string;
  secret: string;
}

/** What billing sends. */
export interface PaymentsWebhook {
  id: string;
  type: string;
  timestamp: string;
  data: object;
}

/** A webhook as it is sent: the same text under the same id, however often. */
export interface SignedBody {
  id: string;
  body: string;
}

const RETRY_MS = 250;
const ANSWER_TIMEOUT_MS = 10_000;

/** Sends a webhook until it is answered 200, as a billing provider does. @param onTry called before each attempt */
export const deliverWebhook = (target: WebhookTarget, webhook: PaymentsWebhook, onTry?: () => void): Promise<void> =>
  deliverSigned(target, { id: webhook.id, body: JSON.stringify(webhook) }, onTry);

/** The same for any body. */
export async function deliverSigned(
  target: WebhookTarget,
  { id, body }: SignedBody,
  onTry: () => void = () => undefined,
): Promise<void> {
  for (;;) {
    onTry();
    if (await send(target, id, body)) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function send({ webhookUrl, secret }: WebhookTarget, id: string, body: string): Promise<boolean> {
  const timestamp = new Date();
  const signature = signWebhook({ secrets: [secret], id, timestamp, body });
  try {
    const answer = await request(webhookUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
        'webhook-signature': signature,
      },
      body,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
    });
    await answer.body.dump();
    return answer.statusCode === 200;
  } catch {
    return false; // the process that should have answered was killed: send again
  }
}
