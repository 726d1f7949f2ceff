import { parseOptions } from '../../options/parse-options';
import { Narrator } from './narrator';
import { readStack } from '@tandem/stack-client';
import { tellStory } from './story';

const USAGE = `npm run demo -- [options]

Plays the stories of a partner with a discount, a partner with vouchers, a user with identity protection and a VPN client
against the stack that npm start runs. Each step prints its requests and answers, and is checked. The demo can be repeated.

  --failures N   how often the partner's endpoint fails before it recovers (1). The default schedule waits 5 s before the
                 second attempt and 5 min before the third: for more failures, start the stack with a shorter schedule, for example
                 POSTBACK_RETRY_SCHEDULE_SECONDS=0,1,1,1,1 npm start
  --list         lists the stories, and the controls of the sandbox with which you continue by hand
  --help
`;

const LIST = `Stories, in this order:
  a partner with a discount   approval, checkout URL and sale; forged and repeated webhooks; a failing endpoint and a replay; held
                              sales; a rotated token; test mode; a revocation and refunds; the partner's figures
  a partner with vouchers     two groups, codes in pages, a sale with a code, a low stock, the rate limit
  a user                      purchase, profile, enrollments, a lock, support, and the deletion of the profile
  a VPN client                locations and their instances

Controls of the sandbox, to continue by hand (its address is in .tandem/stack.json; docs/sandbox.md describes all controls):
  PUT  /inbox/{name}/behaviour                          a partner's endpoint fails, hangs or is slow
  POST /store/buy                                       a customer buys
  POST /store/subscriptions/{id}/refund                 billing refunds a sale; also renew, cancel, expire, chargeback, change-plan
  POST /store/webhooks/{id}/resend                      billing repeats a webhook
  PUT  /vendor/faults                                   a route of the identity vendor fails, hangs, is slow or refuses
  POST /vendor/users/{arrayUserId}/alerts               the vendor reports an alert
  PUT  /vendor/users/{arrayUserId}/enrollments/{code}   the vendor starts or ends an enrollment by itself
`;

async function main(): Promise<void> {
  const { values } = parseOptions({
    options: {
      failures: { type: 'string', default: '1' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  if (values.list) return console.log(LIST);
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
  // The stack trace of a failed check is of no use to the user, that of a mistake in the program is.
  const isMistake = error instanceof TypeError || error instanceof ReferenceError;
  console.error(
    `\ndemo failed: ${error instanceof Error ? (isMistake && error.stack) || error.message : String(error)}`,
  );
  process.exitCode = 1;
});
