import { parseArgs } from 'node:util';
import { Narrator } from './narrator';
import { readStack } from '@tandem/stack-client';
import { tellStory } from './story';

const USAGE = `npm run demo -- [options]

Plays the whole story of a partner with a discount, of one with vouchers, of a user with identity protection and of a VPN
client against the stack that npm start runs: each step is printed with what was sent and received, and checked. It can be repeated.

  --failures N   how often the partner's endpoint fails before it recovers (1). The default schedule waits 5 s before the
                 second attempt and 5 min before the third: for more, start the stack with a shorter one, for example
                 POSTBACK_RETRY_SCHEDULE_SECONDS=0,1,1,1 npm start
  --help

To play on by hand, use the sandbox's controls (docs/sandbox.md): PUT /inbox/{name}/behaviour makes a partner's endpoint fail,
PUT /vendor/faults the identity vendor, and POST /store/subscriptions/{id}/refund refunds a sale.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { failures: { type: 'string', default: '1' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return console.log(USAGE);
  const failures = Number(values.failures);
  if (!Number.isInteger(failures) || failures < 1 || failures > 4) throw new Error('--failures must be 1 to 4');

  const began = Date.now();
  const stack = readStack();
  const narrator = new Narrator((line) => console.log(line));
  narrator.note(`Tandem at ${stack.baseUrl}, events over ${stack.eventBus}`);
  await tellStory(stack, narrator, { failures });
  console.log(`\ndemo passed: ${narrator.checks} checks in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

main().catch((error: unknown) => {
  console.error(`\ndemo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
