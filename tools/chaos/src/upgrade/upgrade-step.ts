import type { Replacement } from '../replicas/fleet';

/**
 * A step of an upgrade: all replicas of an app, or the schemas, which have no replicas, changed to another version. In
 * the first step, everything still has the earlier version.
 */
export interface UpgradeStep {
  readonly what: string;
  readonly to: 'this' | 'earlier';
  readonly replacements: readonly Replacement[];
  /** The number of requests to all APIs during the step, and how many of them failed. */
  readonly requests: number;
  readonly failed: number;
}
