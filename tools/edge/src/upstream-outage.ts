import { OutageLog } from '@tandem/batching';
import type { FastifyBaseLogger } from 'fastify';

/**
 * Returns a log of an app's outages: a warning when the app stops answering, and a line when it answers again. An outage is not logged as an error,
 * because `npm run dev` and deployments cause outages too, when they restart or replace an app.
 */
export function upstreamOutage(upstream: string, log: Pick<FastifyBaseLogger, 'info' | 'warn'>): OutageLog {
  return new OutageLog(
    {
      warn: (fields: object) => log.warn({ upstream, ...fields }),
      log: (fields: object) => log.info({ upstream, ...fields }),
    },
    { failed: 'the app does not answer', recovered: 'the app answers again' },
  );
}
