import { randomUUID } from 'node:crypto';
import { signWebhook, webhookTimestampHeader } from '@tandem/auth';
import { call } from './http';

/** The URL for the webhooks of an integration, and the secret that signs them. */
export interface WebhookTarget {
  readonly webhookUrl: string;
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** A webhook as it is sent: however often, with the same text under the same id. */
export interface SignedBody {
  readonly id: string;
  readonly body: string;
}

const RETRY_MS = 250;
const ANSWER_TIMEOUT_MS = 10_000;

/** Returns the headers of a webhook that is signed according to Standard Webhooks. @param id new when left out */
export function signedHeaders(secret: string, body: string, id = `msg_${randomUUID()}`): Record<string, string> {
  const timestamp = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': webhookTimestampHeader(timestamp),
    'webhook-signature': signWebhook({ secrets: [secret], id, timestamp, body }),
  };
}

/** Sends a webhook until it is answered 200, as a provider does. @param onTry called before each attempt */
export async function deliverWebhook(
  target: WebhookTarget,
  webhook: SignedBody,
  onTry: () => void = () => undefined,
): Promise<void> {
  for (;;) {
    onTry();
    if (await isAccepted(target, webhook)) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function isAccepted({ webhookUrl, secret }: WebhookTarget, { id, body }: SignedBody): Promise<boolean> {
  const headers = signedHeaders(secret, body, id);
  try {
    return (await call(webhookUrl, { method: 'POST', body, headers, timeoutMs: ANSWER_TIMEOUT_MS })).status === 200;
  } catch {
    return false; // the process that should have answered is down: send again
  }
}
