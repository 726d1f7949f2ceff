import { writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';

/**
 * A request over the IPC channel, by which the benchmark starts or stops the CPU profiler of this app. Node loads this
 * file before the app's own code, but a profile begins only at a request, so it does not cover the start of the app.
 */
interface Request {
  readonly startProfile?: true;
  /** Stops the profiler, and writes the profile to this file. */
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
