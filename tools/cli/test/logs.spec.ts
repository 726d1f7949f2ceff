import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { eventually } from '@tandem/testing';
import { type Outcome, runCli, startCli } from './cli';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'logs-'));
const folder = path.join(home, 'logs');
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

const start = (...args: string[]) => startCli(['logs', ...args], { TANDEM_DIR: home });
const run = (...args: string[]): Promise<Outcome> => runCli(['logs', ...args], { TANDEM_DIR: home });

const line = (second: number, app: string, msg: string, fields: object): string =>
  `${JSON.stringify({ level: 'info', time: `2026-01-05T09:30:0${second}.000Z`, app, msg, ...fields })}\n`;
const write = (name: string, ...lines: string[]): void => fs.writeFileSync(path.join(folder, name), lines.join(''));
const messages = (out: string): string[] =>
  out
    .trim()
    .split('\n')
    .map((text) => (JSON.parse(text) as { msg: string }).msg);

const STORY = ['request.started', 'webhook.received', 'sale changed', 'delivery.attempted', 'delivery.replayed'];

describe('tandem logs', () => {
  beforeAll(async () => {
    fs.mkdirSync(folder);
    write(
      'webhook-ingest.log.1',
      line(1, 'webhook-ingest', 'webhook.received', { requestId: 'r1', oid: 'sub_1' }),
      line(2, 'webhook-ingest', 'webhook.received', { requestId: 'r2', oid: 'sub_2' }),
      line(0, 'webhook-ingest', 'request.started', { requestId: 'r1' }),
    );
    write(
      'partner-gateway.log',
      'not JSON: sub_1\n',
      line(3, 'partner-gateway', 'sale changed', {
        eventId: 'e1',
        eventKey: 'sub_1',
        oid: 'sub_1',
        from: 'x',
        hold: null,
      }),
      line(3, 'partner-gateway', 'sale changed', { eventId: 'e2', eventKey: 'sub_2', oid: 'sub_2' }),
      line(3, 'partner-gateway', 'a detail says sub_1', { eventId: 'e3', note: 'sub_1' }),
    );
    write(
      'postback-dispatcher.log',
      line(4, 'postback-dispatcher', 'delivery.attempted', { eventId: 'e1b', oid: 'sub_1', deliveryId: 'd1' }),
      line(5, 'postback-dispatcher', 'delivery.replayed', { deliveryId: 'd1' }),
      line(6, 'postback-dispatcher', 'delivery.replayed', { deliveryId: 'd2' }),
    );
  });

  it.each([
    ['--oid', 'sub_1'],
    ['--request', 'r1'],
    ['--event', 'e1'],
  ] as const)('%s follows one sale through all apps, in the order of time', async (option, id) => {
    const { code, out } = await run(option, id, '--json');
    expect(code).toBe(0);
    expect(messages(out)).toEqual(STORY);
  });

  it('prints a readable line: time, app, message, and the fields that have a value', async () => {
    const { out } = await run('--event', 'e1');
    expect(out).toMatch(/^2026-01-05T09:30:03\.000Z {2}partner-gateway {6}sale changed {2}eventId=e1 {2}.*from=x$/m);
    expect(out).not.toMatch(/hold=/);
  });

  it.each([
    ['text', []],
    ['JSON', ['--json']],
  ])('escapes control characters in %s, so that a log line cannot control the terminal', async (_form, options) => {
    const controls = '\u001b[2J\u009b2J\u007f\r';
    const fields = { requestId: 'r13', note: controls, [controls]: 1 };
    write('idp-support.log', line(1, 'idp-support', `text ${controls}`, fields));
    const { out } = await run('--request', 'r13', ...options);
    expect(out).toMatch(/text \\u001b\[2J/);
    // eslint-disable-next-line no-control-regex -- these are the characters that must not be printed
    expect(out.trim()).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it('--krn follows a user through webhook-ingest and idp-api; --oid does not add all lines of the sale’s user', async () => {
    const krn = 'krn:tandem:dev:user:u1';
    write(
      'idp-api.log',
      line(5, 'idp-api', 'enrollment.synced', { eventId: 'e7', krn, oid: 'sub_7' }),
      line(6, 'idp-api', 'reconciliation.failed', { krn }),
      line(7, 'idp-api', 'verification.refused', { krn, requestId: 'r8' }),
      line(8, 'idp-api', 'request.completed', { requestId: 'r8' }),
      line(9, 'idp-api', 'reconciliation.failed', { krn: 'krn:tandem:dev:user:u11' }),
    );
    write('webhook-ingest.log', line(4, 'webhook-ingest', 'webhook.received', { requestId: 'r7', oid: 'sub_7' }));
    const user = await run('--krn', krn, '--json');
    expect(messages(user.out)).toEqual([
      'webhook.received',
      'enrollment.synced',
      'reconciliation.failed',
      'verification.refused',
      'request.completed',
    ]);
    const sale = await run('--oid', 'sub_7', '--json');
    expect(messages(sale.out)).toEqual(['webhook.received', 'enrollment.synced']);
  });

  it('--trace finds every sale of a trace; --oid does not add the other sales of the trace', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    write(
      'voucher-service.log',
      line(1, 'voucher-service', 'one', { traceId, oid: 'sub_11' }),
      line(2, 'voucher-service', 'another', { traceId, oid: 'sub_12' }),
      line(3, 'voucher-service', 'later', { oid: 'sub_12' }),
    );
    expect(messages((await run('--trace', traceId, '--json')).out)).toEqual(['one', 'another', 'later']);
    expect(messages((await run('--oid', 'sub_11', '--json')).out)).toEqual(['one']);
  });

  it('--follow continues with new lines, even from a file that was truncated', async () => {
    const child = start('--oid', 'sub_9', '--follow', '--json');
    let out = '';
    child.stdout?.on('data', (text) => (out += text));
    const seen = (count: number): Promise<void> =>
      eventually(() => expect(out.split('\n').length).toBeGreaterThan(count));
    write(
      'sandbox.log',
      line(1, 'sandbox', 'first', { oid: 'sub_9', deliveryId: 'd9' }),
      line(1, 'sandbox', 'other', {}),
    );
    await seen(1);
    fs.appendFileSync(path.join(folder, 'sandbox.log'), line(2, 'sandbox', 'second', { deliveryId: 'd9' }));
    await seen(2);
    write('sandbox.log', line(3, 'sandbox', 'third', { oid: 'sub_9' }));
    await seen(3);
    child.kill();
    await once(child, 'close');
    expect(messages(out)).toEqual(['first', 'second', 'third']);
  });

  it('exits with 1 when no line has the given id, and with 2 for wrong arguments', async () => {
    const none = await run('--oid', 'sub_404');
    expect([none.code, /none of the \d+ log files has a line about sub_404/.test(none.err)]).toEqual([1, true]);
    for (const args of [[], ['--oid', 'a', '--event', 'b'], ['--oid', ''], ['--odi', 'a']]) {
      expect((await run(...args)).code).toBe(2);
    }
  });
});
