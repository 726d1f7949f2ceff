import type { components } from '../generated/partner-api';
import { deliveryTexts as t } from '../texts/deliveries';

type Outcome = Pick<components['schemas']['PostbackAttemptDto'], 'status' | 'error'>;

/** Returns in words how an attempt ended. A text of the API that is newer than the console is returned unchanged. */
export function outcomeOf({ status, error }: Outcome): string {
  if (error === null) return status === null ? t.noAnswer : t.accepted(status);
  if (error === 'status' && status !== null) {
    const code = String(status);
    const words = t.refusals[code] ?? t.refusals[code.charAt(0)];
    return words === undefined ? code : t.refused(words, status);
  }
  return t.outcomes[error] ?? t.outcomes[error.split(' ', 1)[0] ?? ''] ?? error;
}

/** Returns the API's own text for a failed attempt, for developers; undefined if it has no more detail than the words of `outcomeOf`. */
export const detailOf = ({ error }: Pick<Outcome, 'error'>): string | undefined =>
  error === null || error === 'status' ? undefined : error;

/** Returns in words why no more attempts are made. A text of the API that is newer than the console is returned unchanged. */
export const endReasonOf = (error: string): string => t.stopReasons[error] ?? t.endReasons[error] ?? error;
