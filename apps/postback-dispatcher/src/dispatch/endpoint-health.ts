import type { Endpoint } from '../endpoint/endpoint.entity';
import type { EndpointSecrets } from '../endpoint/endpoint.secrets';
import { PreparedTarget } from '../attempt/attempt.client';
import type { AttemptOutcome } from '../attempt/attempt.types';
import {
  afterFailure,
  afterSuccess,
  BreakerPolicy,
  BreakerState,
  CLOSED_BREAKER,
  slowsEndpoint,
} from './breaker.rules';
import type { DueDelivery, EndpointChange, Verdict } from './dispatch.types';
import type { ExpiryLimits } from './expiry.repository';
import { parseRetryAfter, verdictOf } from './retry.rules';

/** How endpoints are treated. */
export interface DispatchPolicy {
  readonly scheduleSeconds: readonly number[];
  readonly disableAfter: number;
  /** When deliveries of a failing endpoint are given up. */
  readonly expiry: ExpiryLimits;
  /** How long an endpoint with that many exhausted deliveries may be failing. */
  readonly disableAfterSeconds: number;
  readonly breaker: BreakerPolicy;
  /** Requests in flight to one endpoint, unless a manager set a number of its own. */
  readonly concurrency: number;
}

/** How long a configuration counts as current without a look: a save tells every replica, this is for a lost message. */
const CURRENT_FOR_MS = 250;

/** What the owner of an endpoint knows of it: its configuration, and how it has been answering. */
export class EndpointHealth {
  /** The configuration that the next attempt uses. */
  target: PreparedTarget;
  configVersion: number;
  disabledReason: Endpoint['disabledReason'];
  private url: string;
  private concurrencyMax: number | null;
  private consecutiveExhausted: number;
  private breaker: BreakerState;
  private readAt = -Infinity;
  private changedAt = -Infinity;

  constructor(
    private readonly shardEpoch: string,
    private readonly endpoint: Endpoint,
    private readonly secrets: EndpointSecrets,
    private readonly policy: DispatchPolicy,
  ) {
    this.target = new PreparedTarget(secrets.targetOf(endpoint));
    this.configVersion = endpoint.configVersion;
    this.disabledReason = endpoint.disabledReason;
    this.url = endpoint.url;
    this.concurrencyMax = endpoint.concurrencyMax;
    this.consecutiveExhausted = endpoint.consecutiveExhausted;
    this.breaker = { ...CLOSED_BREAKER, ...storedBreakerOf(endpoint) };
  }

  /** Requests that the endpoint may have in flight: one at a time until a paused one has answered well. */
  get concurrency(): number {
    return this.isFailing ? 1 : (this.concurrencyMax ?? this.policy.concurrency);
  }

  /** Whether its breaker is open: it has been paused, and has not answered well since. */
  get isFailing(): boolean {
    return this.breaker.level > 0;
  }

  /** Unix ms; nothing is sent before. */
  get blockedUntil(): number {
    return this.breaker.blockedUntil;
  }

  /** Whether a save was announced, and was not read yet. */
  get isOutdated(): boolean {
    return this.readAt < this.changedAt;
  }

  /** Whether the configuration is known well enough to be sent with; times are of `performance.now()`. */
  isCurrent(now: number): boolean {
    return !this.isOutdated && now - this.readAt <= CURRENT_FOR_MS;
  }

  /** A save was announced: what was read before does not count. */
  changed(now: number): void {
    this.changedAt = Math.max(this.changedAt, now);
  }

  /**
   * Takes a configuration over, unless a newer one is here.
   * @param readAt when its statement began
   * @param stored whether everything that this process found out was stored by then, so that what was read is the whole truth
   * @throws Error when its secrets cannot be decrypted
   */
  adopt(endpoint: Endpoint, readAt: number, stored = false): void {
    if (endpoint.configVersion < this.configVersion) return;
    const newer = endpoint.configVersion > this.configVersion;
    // First: when it cannot be decrypted, what is known is outdated from now on, and nothing is sent with it.
    if (newer) {
      this.changed(readAt);
      this.target = new PreparedTarget(this.secrets.targetOf(endpoint));
    }
    this.readAt = Math.max(this.readAt, readAt);
    if (newer) {
      this.configVersion = endpoint.configVersion;
      // A new limit or signing secret ends no pause, and enables nothing.
      const enabled = this.disabledReason !== null && endpoint.disabledReason === null;
      if (endpoint.url !== this.url || enabled) this.breaker = CLOSED_BREAKER;
      this.url = endpoint.url;
      this.concurrencyMax = endpoint.concurrencyMax;
    } else if (!stored) {
      this.disabledReason ??= endpoint.disabledReason;
      return;
    }
    if (stored) this.breaker = { ...this.breaker, ...storedBreakerOf(endpoint) };
    this.disabledReason = endpoint.disabledReason;
    this.consecutiveExhausted = endpoint.consecutiveExhausted;
  }

  /** So many deliveries have expired, and were counted where the endpoint is stored. */
  expired(count: number): void {
    this.consecutiveExhausted += count;
  }

  /** What follows from an attempt, for its delivery and for the endpoint. */
  judge(
    delivery: DueDelivery,
    outcome: AttemptOutcome,
    configVersion: number,
  ): { verdict: Verdict; change: EndpointChange | null } {
    const current = configVersion === this.configVersion;
    const verdict = verdictOf(delivery, outcome, this.policy.scheduleSeconds, Math.random(), current);
    if (!current) return { verdict, change: null };
    const before = [this.consecutiveExhausted, this.disabledReason, this.breaker.level, this.breaker.blockedUntil];
    this.follow(outcome, verdict);
    const after = [this.consecutiveExhausted, this.disabledReason, this.breaker.level, this.breaker.blockedUntil];
    return { verdict, change: before.every((value, index) => value === after[index]) ? null : this.change() };
  }

  private follow(outcome: AttemptOutcome, verdict: Verdict): void {
    const { startedAt } = outcome;
    if (verdict.status === 'delivered') {
      this.breaker = afterSuccess(this.breaker, startedAt);
      this.consecutiveExhausted = 0;
      return;
    }
    const now = Date.now();
    const retryAfterMs = parseRetryAfter(outcome.retryAfter, new Date(now));
    const failure = { startedAt, now, slows: slowsEndpoint(outcome), retryAfterMs };
    this.breaker = afterFailure(this.breaker, failure, this.policy.breaker);
    if (verdict.status !== 'failed') return;
    if (verdict.reason === 'endpoint_gone') this.disabledReason ??= 'endpoint_gone';
    else if (++this.consecutiveExhausted >= this.policy.disableAfter) this.disabledReason ??= 'deliveries_exhausted';
  }

  private change(): EndpointChange {
    return {
      endpointId: this.endpoint.id,
      shardEpoch: this.shardEpoch,
      configVersion: this.configVersion,
      consecutiveExhausted: this.consecutiveExhausted,
      disabledReason: this.disabledReason,
      breakerLevel: this.breaker.level,
      blockedForMs: Math.max(0, this.breaker.blockedUntil - Date.now()),
    };
  }
}

const storedBreakerOf = (endpoint: Endpoint): Pick<BreakerState, 'level' | 'blockedUntil'> => ({
  level: endpoint.breakerLevel,
  blockedUntil: endpoint.blockedUntil?.getTime() ?? 0,
});
