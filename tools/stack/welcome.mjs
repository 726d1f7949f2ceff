import { bold } from './console.mjs';
import { shownStackFile } from './paths.mjs';
import { APPS } from '../../apps/apps.js';

/**
 * Returns the lines that `npm start` prints when the stack is ready. A command is left out when an app that it needs does not run.
 *
 * @param {any} stack  the content of stack.json
 * @param {readonly string[]} running  the names of the apps that run
 * @param {number} ms  how long the start took
 */
export function welcomeLines(stack, running, ms) {
  const { promotion, voucher, manager } = stack.partners;
  const isRunning = (...names) => names.every((name) => running.includes(name));
  const link = (name, value) => `  ${name.padEnd(18)} ${value}`;
  const lines = ['', bold(`Tandem is ready after ${(ms / 1000).toFixed(1)} s.`)];
  if (stack.console) {
    lines.push(
      link('console', `${stack.console.url}  (sign in as a manager or as support: no password here)`),
      link('partner portal', `${stack.console.portalLink}  (works once)`),
    );
  }
  lines.push(
    link('docs', `${stack.baseUrl}/docs/`),
    link('base URL', stack.baseUrl),
    link('partner token', promotion.token),
    link('voucher token', voucher.token),
    link('manager token', `${manager.token.slice(0, 24)}… (whole in ${shownStackFile()})`),
    link('store', `${stack.sandbox.store}/checkout`),
    link('inbox', `${stack.sandbox.inbox}  (postbacks show up here)`),
  );
  if (stack.kafka) lines.push(link('Kafka', `${stack.kafka.brokers}  (topics: docs/events.md)`));
  // Unless both apps run, the start creates no users.
  const hasUsers = isRunning('idp-api', 'webhook-ingest');
  if (hasUsers)
    lines.push(link('identity user', `${stack.users.b.krn}  (tokens of a, b and c in ${shownStackFile()})`));
  lines.push(
    link('sandbox', `${stack.sandbox.url}/  (its pages: buy and refund, let the endpoint or the identity vendor fail)`),
    '',
  );
  if (isRunning('partner-gateway')) {
    const canBuy = isRunning('webhook-ingest', 'postback-dispatcher');
    lines.push(
      canBuy ? 'Try it: ask for a checkout URL, open it, buy, and watch the inbox.' : 'Try it: ask for a checkout URL.',
      `  curl -H 'Authorization: Bearer ${promotion.token}' '${stack.baseUrl}/api/v2/partner/subscription/create-checkout-url?ref_id=order-1'`,
    );
  }
  if (hasUsers)
    lines.push(
      "Identity protection: user b's dashboard.",
      `  curl -H "Authorization: Bearer $(npm run --silent token -- --krn ${stack.users.b.krn} --2fa)" '${stack.baseUrl}/idp/array/users/me/dashboard'`,
    );
  if (isRunning('discovery'))
    lines.push(
      'Discovery: the locations of VPN servers.',
      `  curl -H "Authorization: Bearer $(npm run --silent token -- --krn ${stack.users.a.krn})" '${stack.baseUrl}/ids2/locations'`,
    );
  const stop = 'Ctrl-C stops everything; the data stays.';
  lines.push(isRunning(...APPS.map(({ name }) => name)) ? `The whole story: npm run demo. ${stop}` : stop);
  return lines;
}
