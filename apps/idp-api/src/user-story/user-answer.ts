import { IDENTITY_EVENT } from '@tandem/contracts';
import type { IdentityUser, UserAnswer, UserStep, UserStory } from '@tandem/internal-api';

export const READ_VENDOR_METRICS: UserStep = { step: 'read_vendor_metrics' };

export const logsOf = ({ krn }: IdentityUser): UserStep => ({ step: 'read_logs', krn });

export const listed = (values: readonly string[]): string => values.join(', ');

/** The topic of the events that report what the vendor found or changed. These events change no entitlement. */
export const FROM_VENDOR = IDENTITY_EVENT.topic;

/** Returns an answer that names the newest of the given dead letters, which are ordered newest first; null when there is none. */
export function deadLetterAnswer(user: IdentityUser, [newest]: UserStory['deadLetters']): UserAnswer | null {
  if (newest === undefined) return null;
  const { app, id, topic, reason } = newest;
  return {
    verdict: 'dead_letter',
    reason: `${app} could not handle the event ${topic} and stored it as a dead letter: ${reason}`,
    next: [logsOf(user), { step: 'replay_dead_letter', app, deadLetterId: id }],
  };
}
