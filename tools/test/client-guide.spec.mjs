import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { requestJson } from '../stack/http.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const GUIDE = path.join(import.meta.dirname, '../../docs/client-guide.md');

/** The first test runs the commands of docs/client-guide.md in order in one shell, as a reader does. */
describe('the guide for client apps', () => {
  let running;
  beforeAll(async () => {
    running = await startTestStack();
  });
  afterAll(() => running?.stop());

  it('has commands that lead from a purchase to a dashboard, a lock and the deletion of the profile', async () => {
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

  it('has an equivalent in the SDK for a second factor, a lock, a failed section, and alerts', async () => {
    const { AttemptsTooEarlyError, Identity, isErr, isLockError, NotFoundError } = await import('@tandem/identity');
    const { baseUrl, sandbox } = running.stack;
    const at = new URL(sandbox.vendor).origin;
    const sandboxCall = async (method, url, body) => {
      const answer = await requestJson(method, `${at}${url}`, { body });
      expect([url, answer.status < 300]).toEqual([url, true]);
      return answer.body;
    };
    const krn = `krn:tandem:dev:user:sdk-${randomUUID()}`;
    const tokenWith = async (...amr) =>
      (await sandboxCall('POST', '/issuer/token', { family: 'openid', sub: krn, amr })).token;
    let stored = await tokenWith('pwd');
    let confirmations = 0;
    const identity = new Identity({
      baseUrl,
      token: () => stored,
      onSecondFactor: async ({ acrValues }) => {
        confirmations++;
        return (stored = await tokenWith('pwd', acrValues));
      },
    });

    await sandboxCall('POST', '/store/buy', { krn, email: 'sdk@example.com', plan: 'pro' });
    /** @type {import('@tandem/identity').NewProfile} */
    const fields = {
      firstName: 'Sam',
      lastName: 'Sample',
      dob: '1984-02-29',
      emailAddress: 'sdk@example.com',
      ssn: '6789',
      address: { street: '1 Main Street', city: 'Portland', state: 'OR', zip: '97201' },
      version: 1,
    };
    await expect(identity.profile.create({ ...fields, dob: 'x' })).rejects.toMatchObject({ fields: ['dob'] });
    const { userToken } = await untilEntitled(() => identity.profile.create(fields));
    expect([typeof userToken, confirmations]).toEqual(['string', 1]);
    await expect(identity.profile.create(fields)).rejects.toMatchObject({ code: 'UserAlreadyExists' });

    await sandboxCall('PUT', '/vendor/faults', { route: 'verify', fault: 'refuse', times: 1 });
    const lock = await identity.userToken().catch((error) => error);
    expect([lock instanceof AttemptsTooEarlyError, isLockError(lock), lock.retryAfterSeconds]).toEqual([
      true,
      true,
      900,
    ]);
    expect(lock.requestId).toMatch(/./);
    expect(await identity.profile.get()).toMatchObject({ remainingAuthAttempts: 2, lockedUntil: expect.any(String) });

    await sandboxCall('PUT', '/vendor/faults', { route: 'credit-scores', fault: 'error' });
    const dashboard = await identity.dashboard({ count: 10 });
    await sandboxCall('PUT', '/vendor/faults', { route: 'credit-scores', fault: 'none' });
    expect(Object.entries(dashboard).filter(([, section]) => isErr(section))).toEqual([
      ['creditScoreHistory', { ok: false, error: 'provider unavailable' }],
    ]);

    const { arrayUserId } = await identity.profile.get();
    for (const bureau of ['idp', 'exp', 'tui', 'efx'])
      await sandboxCall('POST', `/vendor/users/${arrayUserId}/alerts`, { bureau, class: 'CREDIT_MONITORING' });
    const alerts = await identity.alerts.list({ count: 4 });
    const forms = { idp: 'alertId', exp: 'id', tui: 'creditAlert', efx: 'alertInfo' };
    for (const { bureau, alertId } of alerts)
      expect(await identity.alerts.details(bureau, alertId)).toHaveProperty(forms[bureau]);
    await identity.alerts.markRead(alerts[0].alertId);
    await identity.alerts.markRead([alerts[1].alertId, alerts[2].alertId]);
    expect((await identity.alerts.list({ count: 4 })).map(({ read }) => read)).toEqual([true, true, true, false]);
    await identity.alerts.markUnread('all');
    expect((await identity.alerts.list({ count: 4 })).some(({ read }) => read)).toBe(false);
    await expect(identity.alerts.markRead(987654321)).rejects.toThrow(NotFoundError);
    expect(await identity.profile.delete()).toMatchObject({ deleted: true });
    expect(confirmations).toBe(1);
  });
});

/** Repeats `create` until the purchase has reached idp-api, for up to 8 attempts. */
async function untilEntitled(create) {
  for (let attempt = 1; ; attempt++)
    try {
      return await create();
    } catch (error) {
      if (error.code !== 'EntitlementsRequired' || attempt === 8) throw error;
      await delay(1_000);
    }
}

/** Runs a shell script, and returns its output. */
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
