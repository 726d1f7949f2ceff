export interface ChaosOptions {
  kills: number;
  bus: 'kafka' | 'postgres';
  /** Whether the run is a rolling restart of every app. */
  rolling: boolean;
  /** The number of faults in a run with faults; null for any other run. */
  faults: number | null;
  /** Whether a run with faults writes its figures to docs/reliability.md. */
  write: boolean;
  /** Whether the run is an upgrade of each app from an earlier version to this one, and back. */
  upgrade: boolean;
  /**
   * The earlier version for an upgrade: a revision of Git or the folder of a built checkout; null: the last release.
   */
  from: string | null;
  /** Whether the run calls the platform through the partner SDK while partner-gateway is killed. */
  sdk: boolean;
  /** The number of replicas of each app in a rolling restart, an upgrade or a run with faults. */
  replicas: number;
  /** The number of different webhooks in a flood; null: the run is not a flood. */
  webhooks: number | null;
  /** Purchases per second, or deliveries of webhooks per second in a flood. */
  rate: number;
  /** Users with identity protection per second. */
  users: number;
  /**
   * The mean pause before a kill or a fault; in a rolling restart or an upgrade, the minimum time between two requests
   * of an operation; ms.
   */
  everyMs: number;
  /** The names of the processes that may be killed, of the apps to upgrade, or of the kinds of faults; null: all. */
  only: readonly string[] | null;
  /** Two runs with the same seed choose the same victims in the same order. */
  seed: number;
  /**
   * How long the platform may take to catch up after the last restart, ms. Used only in a run without `webhooks`,
   * `rolling`, `upgrade`, `sdk` and `faults`.
   */
  limitMs: number;
}

export const USAGE: string;

/** Parses the arguments. @throws TypeError with a message for people when an option is unknown or invalid, given twice or has no effect */
export function readOptions(argv: string[]): ChaosOptions | 'help';
