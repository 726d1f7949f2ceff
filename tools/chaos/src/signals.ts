import type { EventEmitter } from 'node:events';

const say = (text: string): void => console.log(text);
const STOPPING = 'interrupted: stopping what was started, which can take half a minute';

/**
 * Returns a signal that is aborted by the first Ctrl-C or SIGTERM.
 * @param signals emits the signals that the process receives
 */
export function interruption(signals: EventEmitter = process): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    say(STOPPING);
    interrupted.abort();
  };
  // SIGTERM to the process group comes twice, because the parent passes it on: the second one must not end the clean-up.
  signals
    .once('SIGINT', interrupt)
    .once('SIGTERM', interrupt)
    .on('SIGTERM', () => undefined);
  return interrupted.signal;
}

/**
 * Replaces what Ctrl-C does during the startup: now the first Ctrl-C ends only the faults, and the second one the run.
 * SIGTERM ends the run at once.
 * @param end called at most once
 */
export function interruptFaults(end: () => void, signals: EventEmitter = process): AbortSignal {
  const stopping = new AbortController();
  let hasEnded = false;
  const endOnce = (): void => {
    if (!hasEnded) end();
    hasEnded = true;
  };
  signals
    .removeAllListeners('SIGINT')
    .once('SIGTERM', endOnce)
    .once('SIGINT', () => {
      say('no more faults: the run checks what was done until now; Ctrl-C again ends it without a verdict');
      stopping.abort();
      signals.once('SIGINT', () => {
        say(STOPPING);
        endOnce();
      });
    });
  return stopping.signal;
}
