import type { components } from '../generated/manager-api';
import { managerTexts } from '../texts/manager';
import { saleReason } from '../texts/reasons';

const t = managerTexts.story;
type Story = components['schemas']['SaleStory'];
type Delivery = NonNullable<Story['delivery']>;

/** Something that happened to a sale, or is expected to happen. */
export interface SaleStep {
  readonly title: string;
  readonly at: string;
  /** The subject of the manager who did it. */
  readonly actor?: string;
  readonly text?: string | null;
  /** The answer of the partner's endpoint, which is untrusted text. */
  readonly answer?: string | null;
  readonly isAhead?: boolean;
}

const wordsOf = (...parts: (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ');

/** Returns the steps of a sale, of its postback and of the notice of its refund or chargeback, the earliest first. */
export function stepsOf({ sale, decision, delivery, notice, replays }: Story): SaleStep[] {
  const steps: SaleStep[] = [];
  const add = (title: string, at: string | null | undefined, more: Partial<SaleStep> = {}): void => {
    if (at) steps.push({ title, at, ...more });
  };
  const addAttempts = ({ attempts }: Delivery, titleOf: (number: number) => string): void => {
    for (const { number, at, status, error, latencyMs, response } of attempts) {
      add(titleOf(number), at, { text: `${status ?? error ?? t.noAnswer} · ${latencyMs} ms`, answer: response });
    }
  };
  if (sale) {
    const {
      soldAt,
      holdReason,
      holdDecision,
      holdNote,
      qualifiedAt,
      revokedAt,
      revokeReason,
      revokeNote,
      closedAt,
      closedBy,
    } = sale;
    add(t.sold, soldAt, { text: sale.paymentStatus && (t.payments[sale.paymentStatus] ?? sale.paymentStatus) });
    const reason = holdReason && (managerTexts.held.reasons[holdReason] ?? holdReason);
    const decided = holdDecision && (t.decided[holdDecision] ?? holdDecision);
    // An API of an older version does not tell when a manager decided, so the decision is then part of the step before.
    if (reason) add(t.heldBy, soldAt, { text: decision ? reason : wordsOf(reason, decided, holdNote) });
    if (decided) add(decided, decision?.at, { actor: decision?.actor, text: holdNote });
    add(t.qualified, qualifiedAt);
    add(t.revoked, revokedAt, { text: wordsOf(revokeReason && saleReason(revokeReason), revokeNote) });
    add(t.closed(closedBy ?? ''), closedAt);
  }
  if (delivery) {
    add(t.postbackCreated, delivery.createdAt);
    addAttempts(delivery, t.attempt);
    // An API of an older version does not list the replays.
    for (const { at, actor } of (replays as Story['replays'] | undefined) ?? []) add(t.sentAgain, at, { actor });
    if (delivery.status === 'pending') add(t.next, delivery.nextAttemptAt, { isAhead: true });
  }
  if (notice) {
    add(t.noticeCreated, notice.createdAt);
    addAttempts(notice, t.noticeAttempt);
    if (notice.status === 'pending') add(t.noticeNext, notice.nextAttemptAt, { isAhead: true });
  }
  return steps.sort((one, other) => one.at.localeCompare(other.at));
}
