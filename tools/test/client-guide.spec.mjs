import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const GUIDE = path.join(import.meta.dirname, '../../docs/client-guide.md');

/** Runs the commands of docs/client-guide.md one after the other in one shell, as a reader does. */
describe('the guide for client apps', () => {
  let running;
  beforeAll(async () => {
    running = await startTestStack();
  });
  afterAll(() => running?.stop());

  it('leads from a purchase to a dashboard, a lock and a delete', async () => {
    const blocks = [...fs.readFileSync(GUIDE, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
    expect(blocks.length).toBe(9);
    const { baseUrl, sandbox } = running.stack;
    const [variables, ...others] = blocks;
    const own = variables
      .replace('http://127.0.0.1:8080', baseUrl)
      .replace('http://127.0.0.1:4100', new URL(sandbox.vendor).origin);
    expect(own).not.toBe(variables);
    const answers = (await run([own, ...others].join('\necho; echo ------\n'))).split('------\n');
    const [, bought, refused, created, enrolled, pushed, dashboard, locked, deleted] = answers.map((text) =>
      text.trim(),
    );
    expect(bought).toMatch(/"subscriptionId":"sub_/);
    expect(refused).toMatch(/^HTTP\/1.1 400 .*error="insufficient_user_authentication", acr_values="mfa"/s);
    expect(refused).toMatch(/\{"BadRequest":\{"TwoFactorAuthRequired":\{\}\}\}$/);
    expect(created).toMatch(/^\{"userToken":"[^"]+","expirationDate":\d+\}$/);
    expect(JSON.parse(enrolled).enrollments.filter(({ active }) => active).length).toBe(7);
    expect(pushed).toMatch(/"alertId":\d+/);
    const [sections, details, status] = dashboard
      .replaceAll('}{', '}\n{')
      .replace(/\}(\d+)$/, '}\n$1')
      .split('\n');
    expect(Object.values(JSON.parse(sections)).filter((section) => 'Ok' in section).length).toBe(6);
    expect(typeof JSON.parse(details)).toBe('object');
    expect(status).toBe('204');
    expect(locked).toMatch(/\{"BadRequest":\{"AttemptsTooEarly":\{"retry_after":900\}\}\}$/);
    expect(deleted).toMatch(/^\{"arrayUserId":"[^"]+","deleted":true\}$/);
  });
});

/** Returns the output of a script. */
async function run(script) {
  const shell = spawn('bash', ['-euo', 'pipefail'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  shell.stdout.on('data', (text) => (out += text));
  shell.stderr.on('data', (text) => (err += text));
  shell.stdin.end(script);
  const [code] = await once(shell, 'close');
  expect([`${err}\n${out}`, code]).toEqual([`${err}\n${out}`, 0]);
  return out;
}
