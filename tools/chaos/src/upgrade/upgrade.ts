import { inRepository } from '@tandem/stack-client';
import { APPS } from '../../../../apps/apps';
import type { ChaosOptions } from '../options';
import type { Replacement } from '../replicas/fleet';
import { isUnnoticedUnderLoad } from '../replicas/under-load';
import { upgradeTable } from '../report';
import type { Sink } from '../sink';
import type { ChaosStack } from '../stack';
import type { Version } from './version';

/** How long replicas of both versions of an app serve together before one of the earlier ones is stopped. */
const BOTH_MS = 2_000;
/** How long an app runs in one version before it changes again. */
const SETTLED_MS = 2_000;

/** Describes how all replicas of an app were replaced by replicas of another version. */
export interface UpgradeStep {
  readonly app: string;
  readonly to: 'this' | 'earlier';
  readonly replacements: readonly Replacement[];
  /** Requests of all APIs during the step, and how many of them failed. */
  readonly requests: number;
  readonly failed: number;
}

/**
 * Changes each app alone from the earlier version to this one, back, and forward again, then all apps back and forward, under load.
 *
 * @param stack a stack without apps, with the data of the earlier version
 * @returns true when no request failed and nothing was lost or done twice
 * @throws TypeError when an app to upgrade is unknown
 */
export function upgrade(options: ChaosOptions, stack: ChaosStack, sink: Sink, earlier: Version): Promise<boolean> {
  const apps = APPS.map(({ name }) => name);
  const existed = apps.filter((app) => earlier.apps.includes(app));
  const unknown = options.only?.find((app) => !existed.includes(app));
  if (unknown !== undefined) throw new TypeError(`--only: both versions have no app "${unknown}"`);
  const upgraded = existed.filter((app) => options.only?.includes(app) ?? true);
  const versions = new Map<string, UpgradeStep['to']>(existed.map((app) => [app, 'earlier']));
  const fleetOptions = {
    rootOf: (app: string) => (versions.get(app) === 'earlier' ? earlier.folder : inRepository()),
    replicasOf: (app: string) => (existed.includes(app) ? options.replicas : 0),
  };
  return isUnnoticedUnderLoad(options, stack, sink, fleetOptions, async (fleet, load) => {
    const steps: UpgradeStep[] = [];
    const change = async (app: string, to: UpgradeStep['to']): Promise<void> => {
      versions.set(app, to);
      const replacements: Replacement[] = [];
      const [requests, failed] = [load.requests, load.failed];
      await fleet.restart(app, (replacement) => replacements.push(replacement), BOTH_MS);
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      steps.push({ app, to, replacements, requests: load.requests - requests, failed: load.failed - failed });
      console.log(`  ${app.padEnd(20)} ${to.padEnd(8)} version; ${load.failed} requests have failed so far`);
    };
    console.log(`  schemas migrated to this version: ${await stack.migrate()}`);
    // An app that is new in this version has no replicas until its schema exists.
    for (const app of apps.filter((name) => !existed.includes(name)))
      for (let count = 0; count < options.replicas; count++) await fleet.add(app);
    for (const app of upgraded) for (const to of ['this', 'earlier', 'this'] as const) await change(app, to);
    if (upgraded.length > 1) {
      for (const app of [...upgraded].reverse()) await change(app, 'earlier');
      for (const app of upgraded) await change(app, 'this');
    }
    return upgradeTable(steps);
  });
}
