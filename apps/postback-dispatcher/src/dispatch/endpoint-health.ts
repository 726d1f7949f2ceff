import type { Endpoint } from '../endpoint-store/endpoint.entity';
import type { EndpointSecrets } from '../endpoint-store/endpoint-secrets';
import { PreparedTarget } from '../attempt/attempt.client';
import type { AttemptOutcome } from '../attempt/attempt-types';
import { afterFailure, afterSuccess, BreakerState, CLOSED_BREAKER, slowsEndpoint } from './breaker.rules';
import type { DueDelivery, EndpointChange, Verdict } from './dispatch-types';
import type { DispatchPolicy } from './dispatch-policy';
import { parseRetryAfter, verdictOf } from './retry.rules';

/**
 * How long a configuration counts as current after it was read. Every sweep reads it again. With the default of one sweep each second, this
 * limit matters only when the database does not answer.
 */
const CURRENT_FOR_MS = 5_000;

/** What the owner of the shard knows about an endpoint: its configuration, and its state after recent results. */
export class EndpointHealth {
  /** The configuration that the next attempt uses. */
  target: PreparedTarget;
  configVersion: number;
  disabledReason: Endpoint['disabledReason'];
  private url: string;
  private concurrencyMax: number | null;
  private consecutiveExhausted: number;
  private breaker: BreakerState;
  /**
   * The newest version of the configuration that was read. It is higher than `configVersion` if the secrets of this newest version cannot be
   * decrypted.
   */
  seenVersion: number;
  private readAt = -Infinity;
  private changedAt = -Infinity;

  constructor(
    readonly shardEpoch: string,
    private readonly endpoint: Endpoint,
    private readonly secrets: EndpointSecrets,
    private readonly policy: DispatchPolicy,
  ) {
    this.target = new PreparedTarget(secrets.targetOf(endpoint));
    this.configVersion = endpoint.configVersion;
    this.seenVersion = endpoint.configVersion;
    this.disabledReason = endpoint.disabledReason;
    this.url = endpoint.url;
    this.concurrencyMax = endpoint.concurrencyMax;
    this.consecutiveExhausted = endpoint.consecutiveExhausted;
    this.breaker = { ...CLOSED_BREAKER, ...storedBreakerOf(endpoint) };
  }

  /** Maximum requests in flight: 1 from a pause until the next success. */
  get concurrency(): number {
    return this.isFailing ? 1 : (this.concurrencyMax ?? this.policy.concurrency);
  }

  /** Whether the breaker is open or half-open: the endpoint was paused, and has had no success since. */
  get isFailing(): boolean {
    return this.breaker.level > 0;
  }

  /** The time before which nothing is sent, Unix ms. */
  get blockedUntil(): number {
    return this.breaker.blockedUntil;
  }

  /** False when the secrets of the stored configuration cannot be decrypted. */
  get isUsable(): boolean {
    return this.seenVersion === this.configVersion;
  }

  /** Whether the last read of the configuration began after the last announced change. */
  get isConfirmed(): boolean {
    return this.readAt >= this.changedAt;
  }

  /**
   * Returns true if a recent read confirmed that the known configuration is the stored configuration, and no change was announced after
   * this read began.
   */
  isCurrent(now: number): boolean {
    return this.isConfirmed && now - this.readAt <= CURRENT_FOR_MS;
  }

  /**
   * Records that a newer configuration may be stored. Reads that began before this time no longer confirm the known configuration.
   * @param now `performance.now()`
   */
  changed(now: number): void {
    this.changedAt = Math.max(this.changedAt, now);
  }

  /**
   * Records that a read found the known configuration to be the stored configuration.
   * @param readAt when the statement that read the configuration began
   */
  confirm(readAt: number): void {
    this.readAt = Math.max(this.readAt, readAt);
  }

  /**
   * Takes over a stored configuration if its version is newer than every version that was read before. If its version is the one in use,
   * takes over only one change: that the endpoint was disabled.
   * @param readAt when the statement that read the configuration began
   * @throws Error when the secrets of the configuration cannot be decrypted; nothing is sent then until a newer configuration is stored
   */
  adopt(endpoint: Endpoint, readAt: number): void {
    this.confirm(readAt);
    if (endpoint.configVersion > this.seenVersion) {
      this.seenVersion = endpoint.configVersion;
      this.target = new PreparedTarget(this.secrets.targetOf(endpoint));
      this.replace(endpoint);
    } else if (endpoint.configVersion === this.configVersion) {
      this.disabledReason ??= endpoint.disabledReason;
    }
  }

  private replace(endpoint: Endpoint): void {
    this.configVersion = endpoint.configVersion;
    // A new version alone does not show that a pause has ended: a change of the limit or of the signing secret is a new version too, but neither ends
    // a pause nor enables the endpoint. The endpoint's row shows it: a save or an enabling that ends a pause also clears the pause in the row.
    const enabled = this.disabledReason !== null && endpoint.disabledReason === null;
    const notPaused = endpoint.breakerLevel === 0 && endpoint.blockedUntil === null;
    if (endpoint.url !== this.url || enabled || notPaused) this.breaker = CLOSED_BREAKER;
    this.url = endpoint.url;
    this.concurrencyMax = endpoint.concurrencyMax;
    this.disabledReason = endpoint.disabledReason;
    this.consecutiveExhausted = endpoint.consecutiveExhausted;
  }

  /**
   * Records that the stored endpoint is not disabled. Either the change that should have disabled it was dropped, or the configuration was
   * saved or enabled after that change.
   */
  notDisabled(now: number): void {
    this.disabledReason = null;
    this.changed(now);
  }

  /** Adds expired deliveries to the count of exhausted deliveries in memory. The endpoint's row already includes them. */
  expired(count: number): void {
    this.consecutiveExhausted += count;
  }

  /** Determines the consequences of an attempt for its delivery and for the endpoint. */
  judge(delivery: DueDelivery, outcome: AttemptOutcome, configVersion: number): { verdict: Verdict; changed: boolean } {
    const current = configVersion === this.seenVersion;
    const verdict = verdictOf(delivery, outcome, this.policy.scheduleSeconds, Math.random(), current);
    if (!current) return { verdict, changed: false };
    const { consecutiveExhausted, disabledReason, breaker } = this;
    this.follow(outcome, verdict);
    const changed =
      consecutiveExhausted !== this.consecutiveExhausted ||
      disabledReason !== this.disabledReason ||
      breaker.level !== this.breaker.level ||
      breaker.blockedUntil !== this.breaker.blockedUntil;
    return { verdict, changed };
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

  /** Returns the endpoint's current state, to be stored. */
  change(): EndpointChange {
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
