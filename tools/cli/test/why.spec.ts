import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { JsonServer } from '@tandem/testing';
import { type Outcome, runCli } from './cli';

const FACTS = { partner: null, endpoint: null, delivery: null, deadLetters: [], dispatcherFailure: null };
const unknown = (oid: string): object => ({
  ...FACTS,
  oid,
  verdict: 'unknown',
  reason: 'no such purchase is stored. Purchases without any reference to a partner are not stored',
  sale: null,
  next: [{ step: 'list_unattributed_sales' }, { step: 'read_logs', oid }, { step: 'list_dead_letters' }],
});
const FAILURE = 'Postbacks cannot be reached now; try again.';
const UNREACHABLE = {
  ...FACTS,
  oid: 'sub_1',
  verdict: 'dispatcher_unavailable',
  reason: `postback-dispatcher is unavailable: ${FAILURE}`,
  sale: { oid: 'sub_1', status: 'qualified', partnerId: 'ptn_1', qualifiedAt: '2026-01-05T09:00:01.000Z' },
  next: [
    { step: 'check_app', app: 'postback-dispatcher' },
    { step: 'read_logs', oid: 'sub_1' },
  ],
  dispatcherFailure: FAILURE,
};

describe('tandem partner why', () => {
  let api: JsonServer;
  let folder: string;
  beforeAll(async () => {
    api = await JsonServer.start();
    api.answerBy(({ url }) => {
      const oid = /^\/admin\/sales\/(\w[\w-]*)\/story/.exec(url)?.[1];
      if (oid === undefined) return [200, { items: [], nextCursor: null, hasMore: false }];
      return [200, oid === 'sub_1' ? UNREACHABLE : unknown(oid)];
    });
    folder = mkdtempSync(path.join(os.tmpdir(), 'tandem-cli-'));
    const apps = { 'postback-dispatcher': { url: 'http://127.0.0.1:4103' } };
    const partners = { manager: { token: 'manager' } };
    writeFileSync(path.join(folder, 'stack.json'), JSON.stringify({ baseUrl: api.url, apps, partners }));
    mkdirSync(path.join(folder, 'logs'));
    const line = { time: '2026-01-05T09:00:00.000Z', app: 'webhook-ingest', msg: 'webhook', oid: 'sub_9' };
    writeFileSync(path.join(folder, 'logs', 'webhook-ingest.log'), `${JSON.stringify(line)}\n`);
  });
  afterAll(async () => {
    await api.stop();
    rmSync(folder, { recursive: true });
  });

  const why = (asked: string, args: readonly string[] = []): Promise<Outcome> =>
    runCli(['partner', 'why', asked, ...args], { TANDEM_DIR: folder });
  const nextOf = ({ out }: Outcome): string[] =>
    out
      .slice(out.indexOf('Next:\n') + 6)
      .trimEnd()
      .split('\n')
      .map((command) => command.trim());

  it('names an unknown reference as it was given, and offers no search of the logs, which have no line about it', async () => {
    const told = await why('order-forged');
    expect(told.code).toBe(1);
    expect(told.out).toMatch(
      /^No sale has the oid or the reference order-forged\nReason: no such purchase is stored\./,
    );
    expect(told.out).toContain('Check that the oid or reference is complete');
    expect(nextOf(told)).toEqual(['npm run partner -- sales --status unattributed', 'npm run dead-letters -- list']);
  });

  it('offers the logs of an unknown oid if they have lines about it', async () => {
    expect(nextOf(await why('sub_9'))).toContain('npm run logs -- --oid sub_9');
  });

  it('prints the complete command that checks postback-dispatcher if this app is down in the stack that runs here', async () => {
    const told = await why('sub_1');
    expect(told.out).toContain(`Reason: postback-dispatcher is unavailable: ${FAILURE}\nNext:`);
    expect(nextOf(told)).toEqual(['curl -i --max-time 5 http://127.0.0.1:4103/readyz', 'npm run logs -- --oid sub_1']);
  });

  it('names the page that says how to check postback-dispatcher of another stack', async () => {
    const other = api.url.replace('127.0.0.1', 'localhost');
    const told = await why('sub_1', ['--base-url', other, '--token', 'manager']);
    expect(nextOf(told)[0]).toBe('# check whether postback-dispatcher runs: see docs/operations/app-down.md');
  });
});
