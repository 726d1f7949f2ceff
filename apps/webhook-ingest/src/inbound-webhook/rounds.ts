import type { WebhookRow } from './inbound-webhook.repository';

/** A group of webhooks, divided into rounds. Each round is stored by one statement, one round after the other. */
export interface Rounds<W extends WebhookRow> {
  /** No round contains two webhooks about the same subject, because one statement can claim a subject only once. */
  readonly rounds: readonly (readonly W[])[];
  /** Maps each duplicate in the group to its original, which is an earlier webhook in the group. */
  readonly originals: ReadonlyMap<W, W>;
}

/** Divides a group into rounds, and finds the duplicates within it. @param group the webhooks in the order of arrival */
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

/**
 * Returns whether a webhook is a duplicate of an earlier webhook that has the same subject or, without claims, the same id:
 * - Without claims, it always is.
 * - If at least one of the two has a delivery key, it is a duplicate if their delivery keys are equal. Equal content is not enough: if the earlier
 *   webhook is a late retry, and other webhooks have reported something else since its first delivery, the later webhook is new. Only the database
 *   knows whether the earlier webhook is a late retry.
 * - Otherwise, it is a duplicate if the two have the same content, and no other webhook about their subject arrived in between.
 *
 * @param isLast whether no other webhook about this subject arrived in between
 */
function repeats({ claim }: WebhookRow, { claim: other }: WebhookRow, isLast: boolean): boolean {
  if (claim === null || other === null) return true;
  if (claim.deliveryKey !== null || other.deliveryKey !== null) return claim.deliveryKey === other.deliveryKey;
  return isLast && claim.content === other.content;
}
