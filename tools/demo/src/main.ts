import { parseArgs } from 'node:util';
import { Narrator } from './narrator';
import { readStack } from '@tandem/stack-client';
import { tellStory } from './story';

const USAGE = `npm run demo -- [options]

Plays the stories of a partner with a discount, a partner with vouchers, a user with identity protection and a VPN client
against the stack that npm start runs. Each step prints its requests and answers, and is checked. The demo can be repeated.

  --failures N   how often the partner's endpoint fails before it recovers (1). The default schedule waits 5 s before the
                 second attempt and 5 min before the third: for more failures, start the stack with a shorter schedule, for example
                 POSTBACK_RETRY_SCHEDULE_SECONDS=0,1,1,1 npm start
  --help

To continue by hand, use the sandbox's controls (docs/sandbox.md): PUT /inbox/{name}/behaviour makes a partner's endpoint fail,
PUT /vendor/faults makes the identity vendor fail, and POST /store/subscriptions/{id}/refund refunds a sale.
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
