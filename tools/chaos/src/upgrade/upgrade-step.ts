import type { Replacement } from '../replicas/fleet';

/**
 * A step of an upgrade, in which the schemas or all replicas of one app changed to another version. In the first step,
 * nothing changed: all apps and schemas had the earlier version.
 */
export interface UpgradeStep {
  readonly what: string;
  readonly to: 'this' | 'earlier';
  readonly replacements: readonly Replacement[];
  /** The number of requests to all APIs during the step, and how many of them failed. */
  readonly requests: number;
  readonly failed: number;
}
