import type { WebhookRow } from './inbound-webhook.repository';
import { roundsOf } from './rounds';

/**
 * Creates a webhook. From the text `subject=content@delivery` or `subject=content`, it gets a claim with these keys. Any other text is the
 * id of a webhook without a claim.
 */
function webhook(text: string): WebhookRow {
  const [, subjectKey = '', content = '', deliveryKey = null] = /^(\w+)=(\w+)(?:@(\w+))?$/.exec(text) ?? [];
  const claim = subjectKey ? { subjectKey, content, deliveryKey } : null;
  return { row: { id: claim ? Math.random().toString() : text }, claim } as WebhookRow;
}

describe('roundsOf', () => {
  it.each([
    ['webhooks with different ids share a round', 'a b c', [[0, 1, 2]], []],
    ['a webhook with the id of an earlier webhook is its duplicate', 'a b a a', [[0, 1]], [[2, 0], [3, 0]]], // prettier-ignore
    ['webhooks about different subjects share a round', 's=1 t=1', [[0, 1]], []],
    ['a webhook that repeats the last webhook about its subject is a duplicate', 's=1 s=1 s=1', [[0]], [[1, 0], [2, 0]]], // prettier-ignore
    [
      'a webhook with different content about the same subject goes into the next round',
      's=1 s=2 s=1',
      [[0], [1], [2]],
      [],
    ],
    [
      'a repeated delivery is a duplicate, whatever arrived in between',
      's=1@a s=2@b s=1@a s=1@c',
      [[0], [1], [3]],
      [[2, 0]],
    ],
    ['a webhook with equal content and another delivery key goes into the next round', 's=1@a s=1@c', [[0], [1]], []],
    ['a webhook without a delivery key goes into the next round after equal content with a delivery key', 's=1@a s=1', [[0], [1]], []], // prettier-ignore
    [
      'a webhook with a delivery key goes into the next round after equal content without a delivery key',
      's=1 s=1@c',
      [[0], [1]],
      [],
    ],
  ] as const)('%s: %s', (_name, texts, rounds, duplicates) => {
    const group = texts.split(' ').map(webhook);
    const found = roundsOf(group);
    const at = (one: WebhookRow | undefined): number => group.indexOf(one as WebhookRow);
    expect(found.rounds.map((round) => round.map(at))).toEqual(rounds);
    expect([...found.originals].map(([one, other]) => [at(one), at(other)])).toEqual(duplicates);
  });
});
