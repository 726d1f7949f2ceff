import { inRepository } from '@tandem/stack-client';
import { APPS } from '../../../../apps/apps';
import type { ChaosOptions } from '../../options';
import type { Replacement } from '../replicas/fleet';
import { isUnnoticedUnderLoad } from '../replicas/under-load';
import { upgradeTable } from '../report';
import type { Sink } from '../sink';
import type { ChaosStack } from '../stack';
import type { UpgradeStep } from './upgrade-step';
import type { Version } from './version';

/** How long a new replica and the replica that it replaces serve together. The two replicas have different versions. */
const BOTH_MS = 2_000;
/** The minimum time for which an app runs in one version before its version changes again. */
const SETTLED_MS = 2_000;

const appsOfBoth = (earlier: Version): string[] =>
  APPS.map(({ name }) => name).filter((app) => earlier.apps.includes(app));

/** Checks the option `--only`. @throws TypeError when `--only` names an app that one of the versions does not have */
export function checkApps({ only }: ChaosOptions, earlier: Version): void {
  const unknown = only?.find((app) => !appsOfBoth(earlier).includes(app));
  if (unknown !== undefined) throw new TypeError(`--only: "${unknown}" is not an app of both versions`);
}

/**
 * Changes the versions of schemas and apps under load:
 * - First, the schemas change to this version. They do not change back.
 * - Then each upgraded app in turn changes to this version, back to the earlier version, and to this version again.
 * - If several apps are upgraded, all of them finally change back in reverse order, and then to this version again.
 *
 * With `--only`, only the named apps are upgraded.
 *
 * @param stack a stack that does not run the apps, with the data of the earlier version
 * @returns true when no request failed, and nothing was lost or done twice
 */
export function upgrade(options: ChaosOptions, stack: ChaosStack, sink: Sink, earlier: Version): Promise<boolean> {
  const apps = APPS.map(({ name }) => name);
  const existed = appsOfBoth(earlier);
  const upgraded = existed.filter((app) => options.only?.includes(app) ?? true);
  const versions = new Map<string, UpgradeStep['to']>(existed.map((app) => [app, 'earlier']));
  const fleetOptions = {
    rootOf: (app: string) => (versions.get(app) === 'earlier' ? earlier.folder : inRepository()),
    replicasOf: (app: string) => (existed.includes(app) ? options.replicas : 0),
  };
  return isUnnoticedUnderLoad(options, stack, sink, fleetOptions, async (fleet, load) => {
    const steps: UpgradeStep[] = [];
    const step = async (what: string, to: UpgradeStep['to'], work: () => Promise<Replacement[]>): Promise<void> => {
      const [requests, failed] = [load.requests, load.failed];
      const replacements = await work();
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      steps.push({ what, to, replacements, requests: load.requests - requests, failed: load.failed - failed });
      console.log(`  ${what.padEnd(20)} ${to.padEnd(8)} version; ${load.failed} requests have failed so far`);
    };
    const change = (app: string, to: UpgradeStep['to']): Promise<void> =>
      step(app, to, async () => {
        versions.set(app, to);
        const replacements: Replacement[] = [];
        await fleet.restart(app, (replacement) => replacements.push(replacement), BOTH_MS);
        return replacements;
      });
    await step('all apps and schemas', 'earlier', async () => []);
    await step('schemas', 'this', async () => {
      console.log(`  migration: ${await stack.migrate()}`);
      return [];
    });
    // An app that exists only in this version has no replicas until its schema exists.
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
