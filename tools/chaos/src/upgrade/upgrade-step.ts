import type { Replacement } from '../replicas/fleet';

/**
 * A step of an upgrade in which something changed to another version: all replicas of an app, or the schemas, which
 * have no replicas.
 */
export interface UpgradeStep {
  readonly what: string;
  readonly to: 'this' | 'earlier';
  readonly replacements: readonly Replacement[];
  /** The number of requests to all APIs during the step, and how many of them failed. */
  readonly requests: number;
  readonly failed: number;
}
