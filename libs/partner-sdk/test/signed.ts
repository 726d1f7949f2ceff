import { createHmac, randomBytes, randomUUID } from 'node:crypto';

export interface SignedPostback {
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Message {
  readonly secrets: readonly string[];
  readonly id?: string;
  readonly body?: string;
  readonly at?: Date;
}

/** Returns a body that changes when a shop parses it and serializes it again: its spaces and escapes are lost. */
export const bodyOf = (oid: string): string =>
  `{"oid":"${oid}", "sharedId":"Zo\\u00eb 😀","emailMasked":"j***e@example.com","currency":"USD","items":[]}`;

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Returns a postback as the platform sends it. */
export function signed({
  secrets,
  id = randomUUID(),
  body = bodyOf('sub_1'),
  at = new Date(),
}: Message): SignedPostback {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const entries = secrets.map((secret) => {
    const hmac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'));
    return `v1,${hmac.update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  const headers = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': entries.join(' ') };
  return { headers: { 'content-type': 'application/json', ...headers }, body };
}
