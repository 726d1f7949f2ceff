import { writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';

/**
 * A request of the benchmark, sent over the IPC channel, that starts or stops the CPU profiler of this app. The
 * profiler is off until then, so that a profile does not cover the start of the app. Node loads this file before the
 * app's own code.
 */
interface Request {
  readonly startProfile?: true;
  /** The file to which the profile is written. */
  readonly stopProfile?: string;
}

const session = new Session();

async function handle({ startProfile, stopProfile }: Request): Promise<void> {
  if (startProfile) {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  } else if (stopProfile !== undefined) {
    const { profile } = (await session.post('Profiler.stop')) as { profile: Profiler.Profile };
    session.disconnect();
    writeFileSync(stopProfile, JSON.stringify(profile));
  } else return;
  process.send?.({});
}

process.on('message', (request: Request) => void handle(request));
