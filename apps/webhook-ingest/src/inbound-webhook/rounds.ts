import type { WebhookRow } from './inbound-webhook.repository';

/** A group of webhooks in the order in which they can be stored. */
export interface Rounds<W extends WebhookRow> {
  /** In each round no two of one subject: a statement can claim a subject once. */
  readonly rounds: readonly (readonly W[])[];
  /** Duplicates inside of the group, each with the one that it repeats. */
  readonly originals: ReadonlyMap<W, W>;
}

/** @param group in the order of arrival */
export function roundsOf<W extends WebhookRow>(group: readonly W[]): Rounds<W> {
  const bySubject = new Map<string, W[]>();
  const rounds: W[][] = [];
  const originals = new Map<W, W>();
  for (const webhook of group) {
    const subject = webhook.claim?.subjectKey ?? webhook.row.id;
    const before = bySubject.get(subject) ?? [];
    const original = before.find((other, index) => repeats(webhook, other, index === before.length - 1));
    if (original) {
      originals.set(webhook, original);
      continue;
    }
    bySubject.set(subject, [...before, webhook]);
    (rounds[before.length] ??= []).push(webhook);
  }
  return { rounds, originals };
}

/** @param isLast whether the other one is the last of their subject */
function repeats({ claim }: WebhookRow, { claim: other }: WebhookRow, isLast: boolean): boolean {
  if (claim === null || other === null) return true;
  if (claim.deliveryKey !== null && claim.deliveryKey === other.deliveryKey) return true;
  return isLast && claim.content === other.content;
}
