import type { Replacement } from '../replicas/fleet';

/** Describes how something changed to another version: all replicas of an app, or the schemas, which have no replicas. */
export interface UpgradeStep {
  readonly what: string;
  readonly to: 'this' | 'earlier';
  readonly replacements: readonly Replacement[];
  /** Requests of all APIs during the step, and how many of them failed. */
  readonly requests: number;
  readonly failed: number;
}
