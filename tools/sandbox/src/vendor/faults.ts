import type { FastifyReply } from 'fastify';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../errors';

/** The parts of the vendor's API that can be made to fail separately. */
export const FAULT_ROUTES = [
  'users',
  'verify',
  'token',
  'alerts',
  'credit-scores',
  'scans',
  'monitors',
  'nhw',
  'financial-accounts',
  'enrollments',
] as const;
export type FaultRoute = (typeof FAULT_ROUTES)[number];

export const FAULTS = ['none', 'slow', 'error', 'hang', 'refuse'] as const;

export interface Fault {
  route: FaultRoute;
  /** The kind of failure. `refuse` makes `verify` refuse the identity, and is not allowed for other routes. */
  fault: (typeof FAULTS)[number];
  /** The delay of each answer. */
  delayMs: number;
  /** The number of further requests with this fault, after which the route works again; null: no end. */
  times: number | null;
}

const SLOW_MS = 2_000;

/** Stores the faults of the vendor's API. After a start there are none. */
export class FaultBook {
  readonly #faults = new Map<FaultRoute, Fault>();
  #refusals = 0;

  /** The number of identities that were refused since the start. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Sets or removes the fault of a route. @throws SandboxError for `refuse` on a route other than `verify` */
  set(wanted: Pick<Fault, 'route' | 'fault'> & Partial<Fault>): Fault {
    if (wanted.fault === 'refuse' && wanted.route !== 'verify') {
      throw new SandboxError(400, 'fault: only the route verify can refuse');
    }
    const fault = { delayMs: wanted.fault === 'slow' ? SLOW_MS : 0, times: null, ...wanted };
    if (fault.fault === 'none') this.#faults.delete(fault.route);
    else this.#faults.set(fault.route, fault);
    return fault;
  }

  list(): Fault[] {
    return [...this.#faults.values()];
  }

  /** Returns the fault for the next request, and counts the request against `times`. */
  next(route: FaultRoute): Fault | undefined {
    const fault = this.#faults.get(route);
    if (fault?.fault === 'refuse') this.#refusals++;
    if (fault && fault.times !== null) {
      if (fault.times > 1) this.#faults.set(route, { ...fault, times: fault.times - 1 });
      else this.#faults.delete(route);
    }
    return fault;
  }
}

/**
 * Makes a request fail as configured: delayed, with a 500, or without an answer (`reply.sent` is then true).
 * @returns whether the identity is refused
 * @throws SandboxError for the fault `error`
 */
export async function applyFault(fault: Fault | undefined, reply: FastifyReply): Promise<boolean> {
  if (!fault) return false;
  if (fault.delayMs > 0) await delay(fault.delayMs);
  if (fault.fault === 'hang') reply.hijack();
  if (fault.fault === 'error') throw new SandboxError(500, `the vendor's route ${fault.route} is configured to fail`);
  return fault.fault === 'refuse';
}
