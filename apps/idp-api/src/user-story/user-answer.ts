import type { IdentityUser, UserAnswer, UserStep, UserStory } from '@tandem/internal-api';

export const READ_VENDOR_METRICS: UserStep = { step: 'read_vendor_metrics' };

export const logsOf = ({ krn }: IdentityUser): UserStep => ({ step: 'read_logs', krn });

export const listed = (values: readonly string[]): string => values.join(', ');

/** Returns an answer that names the user's newest dead letter; null when the user has none. */
export function deadLetterAnswer(user: IdentityUser, [newest]: UserStory['deadLetters']): UserAnswer | null {
  if (newest === undefined) return null;
  const { app, id, topic, reason } = newest;
  return {
    verdict: 'dead_letter',
    reason: `${app} could not handle the event ${topic} and stored it as a dead letter: ${reason}`,
    next: [logsOf(user), { step: 'replay_dead_letter', app, deadLetterId: id }],
  };
}
