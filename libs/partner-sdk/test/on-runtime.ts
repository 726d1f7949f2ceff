import { webcrypto } from 'node:crypto';
import { checkBehaviour } from '../../../sdks/typescript/testing/behaviours';
import type * as Sdk from '../src';
import { BEHAVIOURS, HANDLERS } from './behaviours';
import { checkHandlerBehaviour, testedSdk } from './check-behaviour';
import { checkManyPostbacks } from './check-many-postbacks';
import { manyPostbacks } from './many-postbacks';

const COUNT = 10_000;

/**
 * Runs the behaviours of calls and of the endpoint, and many postbacks, against the installed package, on any runtime. The script
 * `npm run test:runtimes` bundles this file.
 */
async function main(): Promise<void> {
  // Without a flag, Node 18 has no global `crypto`.
  globalThis.crypto ??= webcrypto as Crypto;
  // The name is in a variable, so that the bundle does not contain the package.
  const name = '@tandem/partner';
  const sdk = (await import(name)) as typeof Sdk;
  for (const behaviour of BEHAVIOURS) await checkBehaviour(behaviour, testedSdk(sdk));
  for (const behaviour of HANDLERS) await checkHandlerBehaviour(behaviour, sdk);
  const now = Math.floor(Date.now() / 1000);
  const counts = await checkManyPostbacks(manyPostbacks(COUNT, now % 1_000_000, now), sdk);
  console.log(`${BEHAVIOURS.length + HANDLERS.length} behaviours, ${COUNT} postbacks: ${JSON.stringify(counts)}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
