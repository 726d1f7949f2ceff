import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

const GUIDE = path.join(import.meta.dirname, '../../docs/client-guide.md');

/** The commands of docs/client-guide.md, one after the other in one shell, as a reader runs them. */
describe('the guide for client apps', { timeout: STACK_TIMEOUT_MS }, () => {
  let running;
  before(async () => {
    running = await startTestStack();
  });
  after(() => running?.stop());

  it('leads from a purchase to a dashboard, a lock and a delete', async () => {
    const blocks = [...fs.readFileSync(GUIDE, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
    assert.equal(blocks.length, 9);
    const { baseUrl, sandbox } = running.stack;
    const [variables, ...others] = blocks;
    const own = variables
      .replace('http://127.0.0.1:8080', baseUrl)
      .replace('http://127.0.0.1:4100', new URL(sandbox.vendor).origin);
    assert.notEqual(own, variables);
    const answers = (await run([own, ...others].join('\necho; echo ------\n'))).split('------\n');
    const [, bought, refused, created, enrolled, pushed, dashboard, locked, deleted] = answers.map((text) =>
      text.trim(),
    );
    assert.match(bought, /"subscriptionId":"sub_/);
    assert.match(refused, /^HTTP\/1.1 400 .*error="insufficient_user_authentication", acr_values="mfa"/s);
    assert.match(refused, /\{"BadRequest":\{"TwoFactorAuthRequired":\{\}\}\}$/);
    assert.match(created, /^\{"userToken":"[^"]+","expirationDate":\d+\}$/);
    assert.equal(JSON.parse(enrolled).enrollments.filter(({ active }) => active).length, 7);
    assert.match(pushed, /"alertId":\d+/);
    const [sections, details, status] = dashboard
      .replaceAll('}{', '}\n{')
      .replace(/\}(\d+)$/, '}\n$1')
      .split('\n');
    assert.equal(Object.values(JSON.parse(sections)).filter((section) => 'Ok' in section).length, 6);
    assert.equal(typeof JSON.parse(details), 'object');
    assert.equal(status, '204');
    assert.match(locked, /\{"BadRequest":\{"AttemptsTooEarly":\{"retry_after":900\}\}\}$/);
    assert.match(deleted, /^\{"arrayUserId":"[^"]+","deleted":true\}$/);
  });
});

/** What a script prints. */
async function run(script) {
  const shell = spawn('bash', ['-euo', 'pipefail'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  shell.stdout.on('data', (text) => (out += text));
  shell.stderr.on('data', (text) => (err += text));
  shell.stdin.end(script);
  const [code] = await once(shell, 'close');
  assert.equal(code, 0, `${err}\n${out}`);
  return out;
}
