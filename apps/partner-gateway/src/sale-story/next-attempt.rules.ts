import type { SaleStep, SaleStory } from './sale-story.dto';

type Delivery = Pick<NonNullable<SaleStory['delivery']>, 'nextAttemptAt'>;
type Endpoint = Pick<NonNullable<SaleStory['endpoint']>, 'status' | 'pausedUntil'>;

/** The next step when postback-dispatcher may not work: to check this app. */
export const CHECK_DISPATCHER: SaleStep = { step: 'check_app', app: 'postback-dispatcher' };

/** What is known about the next attempt of a pending delivery or notice. */
export interface NextAttempt {
  /** When the attempt is made: a text that follows "the attempt". */
  readonly text: string;
  /** Whether a replay has an effect. A replay makes the attempt due now, but does not end a pause. */
  readonly isReplayUseful: boolean;
  /** Whether the attempt should have ended by now. */
  readonly isOverdue: boolean;
}

/**
 * How long after its due time an attempt may still be in flight: the default of POSTBACK_TIMEOUT_MS of postback-dispatcher, 15 s, and as much
 * again for the start of the attempt.
 */
const IN_FLIGHT_MS = 30_000;
/**
 * An attempt that is due up to this long after the end of a pause counts as waiting for this end. The two times may differ slightly, because
 * they are read at different moments and in different units.
 */
const PAUSE_TOLERANCE_MS = 1_000;

/**
 * Explains when the next attempt is made. postback-dispatcher does not report which attempts are in flight: while an attempt is in flight,
 * `nextAttemptAt` still has the time at which the attempt was due. If the endpoint is paused, `nextAttemptAt` is not before the end of the pause.
 *
 * @param now the time at which the facts were read
 */
export function nextAttemptOf({ nextAttemptAt }: Delivery, endpoint: Endpoint | null, now: Date): NextAttempt {
  const due = nextAttemptAt === null ? Number.NaN : Date.parse(nextAttemptAt);
  const isDue = due <= now.getTime();
  const pauseEnd = endpoint?.pausedUntil ?? null;
  const other = { isReplayUseful: false, isOverdue: false };
  if (endpoint?.status === 'disabled')
    return { ...other, text: 'is not made, because the endpoint is disabled', isReplayUseful: true };
  if (isDue && now.getTime() - due > IN_FLIGHT_MS) {
    const text = `was due at ${nextAttemptAt}, and its result is not stored: postback-dispatcher has a backlog, or does not send`;
    return { ...other, text, isOverdue: true };
  }
  if (isDue) {
    const text = `was due at ${nextAttemptAt}: it is in flight, or starts now. An attempt takes at most 15 s by default, and a replay would not send it earlier`;
    return { ...other, text };
  }
  if (pauseEnd !== null && due - Date.parse(pauseEnd) <= PAUSE_TOLERANCE_MS) {
    const text = `is made when the pause of the endpoint ends, at ${pauseEnd}; a replay would not send it earlier`;
    return { ...other, text };
  }
  const paused = pauseEnd === null ? '' : `, and the endpoint is paused until ${pauseEnd}`;
  return { ...other, text: `is due at ${nextAttemptAt}${paused}`, isReplayUseful: true };
}
