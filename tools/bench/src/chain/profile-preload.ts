import { writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';

/**
 * Loaded into an app before the app's own code. It starts and stops the CPU profiler when the benchmark requests it over the channel,
 * so that a profile covers the measured time and not the start.
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
