import { Inject, Injectable } from '@nestjs/common';
import { EVENT_BUS, type EventBus } from './bus/bus.port';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from './events.options';

export interface EventsHealthReport {
  readonly ok: boolean;
  readonly detail: string;
}

/**
 * Health of consuming, by the age of the last sign of life from the bus. Publishing is no part of it: while the bus is away
 * events wait in the outbox, and requests are served.
 */
@Injectable()
export class EventsHealth {
  constructor(
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  /** For the readiness probe: not ok after 30 s of silence. */
  ready(): EventsHealthReport {
    return this.report(this.options.tuning.notReadyAfterMs);
  }

  /** For the liveness probe: not ok after 5 min of silence, the process should be started anew then. */
  alive(): EventsHealthReport {
    return this.report(this.options.tuning.deadAfterMs);
  }

  private report(limitMs: number): EventsHealthReport {
    const { lastActivity } = this.bus.consumer;
    if (lastActivity === undefined) return { ok: true, detail: 'this app consumes nothing' };
    const silentMs = Date.now() - lastActivity;
    return { ok: silentMs < limitMs, detail: `last heard from the ${this.options.bus} bus ${silentMs} ms ago` };
  }
}
