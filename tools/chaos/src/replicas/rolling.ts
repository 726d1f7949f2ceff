import { APPS } from '../../../../apps/apps';
import type { ChaosOptions } from '../../options';
import { restartTable } from '../report';
import type { Sink } from '../sink';
import type { ChaosStack } from '../stack';
import type { Replacement } from './fleet';
import { isUnnoticedUnderLoad } from './under-load';

/**
 * Replaces each replica of each app under load.
 * @returns true when no request failed, and nothing was lost or done twice
 */
export function roll(options: ChaosOptions, stack: ChaosStack, sink: Sink): Promise<boolean> {
  return isUnnoticedUnderLoad(options, stack, sink, {}, async (fleet, load) => {
    const replacements: Replacement[] = [];
    for (const { name } of APPS) {
      await fleet.restart(name, (replacement) => {
        replacements.push(replacement);
        console.log(`  ${name.padEnd(20)} replaced; ${load.failed} requests have failed so far`);
      });
    }
    return restartTable(replacements);
  });
}
