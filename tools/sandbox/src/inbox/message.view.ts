import { escapeHtml, timeElement } from '../html';
import type { InboxMessage } from './inbox';

/** A message as the API shows it. `body` is null when the raw body is not JSON. */
export type MessageView = Omit<InboxMessage, 'id'> & { body: unknown };

/** The headers to show first, in this order. */
const KEY_HEADERS = [
  'authorization',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-environment',
  'content-type',
  'user-agent',
];

export function viewOf({ receivedAt, method, path, headers, attempt, signature, rawBody }: InboxMessage): MessageView {
  let body: unknown = null;
  try {
    body = JSON.parse(rawBody);
  } catch {
    // `body` stays null.
  }
  return { receivedAt, method, path, headers, attempt, signature, body, rawBody };
}

/** Renders a message on the page of its inbox. All received text is escaped. */
export function messageCard(message: InboxMessage): string {
  const { receivedAt, method, path, headers, attempt, signature, body, rawBody } = viewOf(message);
  const rows = Object.entries(headers)
    .sort(([one], [other]) => rankOf(one) - rankOf(other))
    .map(([name, value]) => {
      const key = KEY_HEADERS.includes(name) ? ' class="key"' : '';
      return `<tr${key}><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(String(value))}</td></tr>`;
    });
  const text = body === null ? rawBody : JSON.stringify(body, null, 2);
  return `<article class="card">
    <div class="row"><strong>${escapeHtml(`${method} ${path}`)}</strong><span>attempt ${attempt}</span></div>
    <div class="row"><span>${signatureTag(signature)}</span><span class="muted">${timeElement(receivedAt)}</span></div>
    <pre>${escapeHtml(text)}</pre><table>${rows.join('')}</table></article>`;
}

function rankOf(header: string): number {
  const rank = KEY_HEADERS.indexOf(header);
  return rank === -1 ? KEY_HEADERS.length : rank;
}

function signatureTag(signature: InboxMessage['signature']): string {
  if (signature === 'good') return '<span class="tag">signature good</span>';
  if (signature === 'no_secret') return '<span class="muted">signature not checked: this inbox has no secret</span>';
  return `<span class="tag bad">signature not good: ${signature.replaceAll('_', ' ')}</span>`;
}
