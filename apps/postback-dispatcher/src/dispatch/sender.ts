import { withoutContext } from '@tandem/batching';
import type { AttemptClient, PreparedTarget } from '../attempt/attempt.client';
import type { AttemptOutcome } from '../attempt/attempt-types';
import type { AttemptLog, AttemptedEndpoint } from './attempt-log';
import type { AttemptResult, DueDelivery, EndpointChange } from './dispatch-types';
import type { InFlightBudget } from './in-flight-budget';
import type { ResultWriter } from './result-writer';

/** Makes attempts and stores their results. The workers of all endpoints share one sender. */
export class Sender {
  constructor(
    private readonly client: AttemptClient,
    private readonly writer: ResultWriter,
    private readonly budget: InFlightBudget,
    private readonly log: AttemptLog,
    private readonly leasesHold: () => boolean,
  ) {}

  /** Whether attempts may be started: results can be stored, and the leases of this process are valid. */
  get isReady(): boolean {
    return !this.writer.paused && this.leasesHold();
  }

  /** Reserves a request within the limit of requests in flight: see {@link InFlightBudget.take}. */
  reserve(whenFree: () => void, isFirst: boolean): boolean {
    return this.budget.take(whenFree, isFirst);
  }

  /** Makes an attempt, for which `reserve` has returned true. @param done called once, with the outcome */
  attempt(target: PreparedTarget, delivery: DueDelivery, done: (outcome: AttemptOutcome) => void): void {
    this.client.start(target, delivery, (outcome) =>
      withoutContext(() => {
        this.budget.giveBack();
        done(outcome);
      }),
    );
  }

  /**
   * Logs a result and stores it.
   * @param change returns the endpoint's state to store with the result; null if the attempt did not change that state
   * @param stored called with true when the result is stored or no longer counts, with false when the database rejects it even without the
   *   answer's body and the error detail
   */
  conclude(
    result: AttemptResult,
    endpoint: AttemptedEndpoint,
    change: (() => EndpointChange) | null,
    stored: (accepted: boolean) => void,
  ): void {
    this.log.attempted(result, endpoint);
    this.writer.add({ result, change, stored });
  }
}
