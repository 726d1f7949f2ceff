import { randomUUID } from 'node:crypto';
import { signWebhook, webhookTimestampHeader } from '@tandem/auth';
import { call, type Call } from './http';

/** The URL for the webhooks of an integration, and the secret that signs them. */
export interface WebhookTarget {
  readonly webhookUrl: string;
  /** The secret in the form `whsec_` followed by base64. */
  readonly secret: string;
}

/** A webhook to send. It may be sent several times, always with the same text and under the same id. */
export interface SignedBody {
  readonly id: string;
  readonly body: string;
}

const FIRST_RETRY_MS = 250;
/**
 * The longest wait between attempts, without the random part. With short waits, the retries after an outage would overload a platform that
 * is just recovering.
 */
const LONGEST_RETRY_MS = 4_000;
/** Statuses with which the webhook itself is refused: every further attempt would get the same status. */
const REFUSALS = [400, 401, 413];
const ANSWER_TIMEOUT_MS = 10_000;

/** Returns the headers of a webhook, signed according to Standard Webhooks. @param id by default a new id */
export function signedHeaders(
  secret: string,
  body: string | Buffer,
  id = `msg_${randomUUID()}`,
): Record<string, string> {
  const timestamp = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': webhookTimestampHeader(timestamp),
    'webhook-signature': signWebhook({ secrets: [secret], id, timestamp, body }),
  };
}

/**
 * Sends a webhook until the answer is 200. Waits between the attempts as a provider does: each wait is about twice as long as the previous
 * one, up to about 4 s.
 *
 * @param onTry called before each attempt
 * @throws Error when the webhook itself is refused (400, 401, 413), because every further attempt would be refused too
 */
export async function deliverWebhook(
  target: WebhookTarget,
  webhook: SignedBody,
  onTry: () => void = () => undefined,
): Promise<void> {
  for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)) {
    onTry();
    if (await isAccepted(target, webhook)) return;
    // Spreads the attempts of senders that failed at the same moment.
    await new Promise((resolve) => setTimeout(resolve, waitMs * (0.8 + 0.4 * Math.random())));
  }
}

async function isAccepted({ webhookUrl, secret }: WebhookTarget, { id, body }: SignedBody): Promise<boolean> {
  const headers = signedHeaders(secret, body, id);
  const options: Call = { method: 'POST', body, headers, timeoutMs: ANSWER_TIMEOUT_MS };
  // If there is no answer, the webhook counts as not accepted, because the process that should have answered may be
  // down.
  const answer = await call(webhookUrl, options).catch(() => null);
  if (answer && REFUSALS.includes(answer.status)) {
    throw new Error(`the webhook ${id} was refused with ${answer.status}: ${answer.text.slice(0, 500)}`);
  }
  return answer?.status === 200;
}
