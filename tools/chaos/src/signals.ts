import type { EventEmitter } from 'node:events';

const say = (text: string): void => console.log(text);
const STOPPING = 'interrupted: stopping what was started, which can take half a minute';

/**
 * Returns an AbortSignal that is aborted by the first Ctrl-C or SIGTERM.
 * @param signals emits the process signals, such as SIGTERM
 */
export function interruption(signals: EventEmitter = process): AbortSignal {
  const interrupted = new AbortController();
  const interrupt = (): void => {
    say(STOPPING);
    interrupted.abort();
  };
  // A SIGTERM to the process group arrives twice, because the parent process also passes it on. The second one must not
  // end the clean-up.
  signals
    .once('SIGINT', interrupt)
    .once('SIGTERM', interrupt)
    .on('SIGTERM', () => undefined);
  return interrupted.signal;
}

/**
 * Changes the reaction to signals once the platform runs: the first Ctrl-C ends only the faults, and the second one
 * ends the run. SIGTERM ends the run at once.
 * @param end ends the run; called at most once
 * @returns an AbortSignal that is aborted when no more faults may start
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
