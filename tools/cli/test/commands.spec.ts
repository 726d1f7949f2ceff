import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { JsonServer } from '@tandem/testing';
import { runCli } from './cli';

const KRN = 'krn:tandem:dev:user:alice';
const NOTHING = { TANDEM_DIR: os.tmpdir(), DATABASE_URL: 'postgres://postgres@127.0.0.1:1/x' };

describe('tandem', () => {
  it('lists its commands, and the options of a command', async () => {
    const { code, out } = await runCli(['--help']);
    expect(code).toBe(0);
    for (const name of ['partner', 'user', 'support', 'token', 'ingest', 'dead-letters', 'events', 'logs', 'discovery'])
      expect(out).toMatch(new RegExp(`tandem ${name} `));
    expect((await runCli(['partner', 'add-promotion', '--help'])).out).toContain('--percent-off');
  });

  it('suggests a similar command for an unknown one, and exits with 2', async () => {
    const { code, err } = await runCli(['partner', 'crate']);
    expect([code, err]).toEqual([2, 'There is no command "partner crate". Did you mean create?\nSee: tandem --help\n']);
    expect((await runCli(['partner', 'tokens', 'ptn_1'])).err).toBe(
      'Unknown arguments: tokens, ptn_1\nSee: tandem partner --help\n',
    );
  });

  it('prints a completion script', async () => {
    const { code, out } = await runCli(['completion']);
    expect(code).toBe(0);
    expect(out).toContain('_tandem_yargs_completions');
  });

  it.each([
    [['token'], 'Missing required argument: krn'],
    [['token', '--krn', 'bob'], '--krn must be like'],
    [['token', '--krn', KRN, '--expires-in', 'soon'], '--expires-in must be a whole number'],
    [['dead-letters', 'replay', '--app', 'partner-gateway'], 'replay needs either --id or --topic'],
    [['dead-letters', 'replay', '--app', 'partner-gateway', '--id', 'x'], '"x" is not the id of a dead letter'],
    [['dead-letters', 'list', '--app', 'nobody'], 'Choices:'],
    [['events', 'forget'], 'Unknown'],
    [['events', 'abandon'], 'Not enough'],
    [['user', 'unlock', KRN], 'Missing required argument: reason'],
    [['partner', 'list', '--token', 'x'], '--base-url and --token belong together'],
  ])('exits with 2 for %j, and reports the error', async (args, message) => {
    const { code, err } = await runCli(args, NOTHING);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

it('names the set variable and the missing variable when an address is given without a token', async () => {
  const { code, err } = await runCli(['partner', 'list'], { ...NOTHING, TANDEM_BASE_URL: 'http://127.0.0.1:1' });
  expect(code).toBe(2);
  expect(err).toContain('TANDEM_BASE_URL is set, so set --token or TANDEM_MANAGER_TOKEN too, or unset TANDEM_BASE_URL');
});

describe('a command with the address of the stack that runs here', () => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'tandem-cli-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('needs no token, whereas a command with another address needs one', async () => {
    const api = await JsonServer.start();
    api.answer(200, { items: [], nextCursor: null });
    const stack = { baseUrl: api.url, apps: {}, partners: { manager: { token: 'of-the-stack' } } };
    writeFileSync(path.join(home, 'stack.json'), JSON.stringify(stack));
    const list = (url: string) => runCli(['partner', 'list'], { TANDEM_DIR: home, TANDEM_BASE_URL: url });
    expect(await list(`${api.url}/`)).toMatchObject({ code: 0, err: '' });
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer of-the-stack']);
    expect((await list('http://127.0.0.1:1')).code).toBe(2);
    await api.stop();
  });
});

it.each([
  ['an answer', { name: '\u001b[2J\u009b2J\u007f' }, 200, 'out'],
  ['a refusal', { code: 'x', detail: '\u001b[2J\u009b2J\u007f' }, 403, 'err'],
] as const)('escapes the control characters of %s', async (_name, body, status, stream) => {
  const api = await JsonServer.start();
  api.answer(status, body);
  const target = ['--base-url', api.url, '--token', 'x'];
  for (const form of [[], ['--json']]) {
    const text = (await runCli(['partner', 'show', 'ptn_1', ...target, ...form], NOTHING))[stream];
    expect(text).toMatch(/\\u001b\[2J\\u009b2J\\u007f/);
    // eslint-disable-next-line no-control-regex -- these are the characters that must not be printed
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  }
  await api.stop();
});

it('refuses an address with control characters, and does not print them', async () => {
  const { code, err } = await runCli(['listen', '--to', '1', '--token', 'ptk_test_x'], {
    ...NOTHING,
    TANDEM_BASE_URL: 'http://\u001b[2J',
  });
  expect([code, err]).toEqual([2, expect.stringContaining('baseUrl must be')]);
  expect(err).not.toContain('\u001b');
});

describe('tandem user', () => {
  it('sends a reason when it unlocks a user, and prints the command that shows the logs of a sync', async () => {
    const api = await JsonServer.start();
    api.answerBy(({ url }) =>
      url.endsWith('/unlock') ? [204, undefined] : [202, { accepted: true, eventId: 'evt-1' }],
    );
    const target = ['--base-url', api.url, '--token', 'support', '--reason', 'case 7'];
    expect((await runCli(['user', 'unlock', KRN, ...target])).out).toBe(`${KRN} is unlocked\n`);
    expect(api.requests.at(-1)).toMatchObject({
      method: 'POST',
      url: `/idp/support/users/${encodeURIComponent(KRN)}/unlock`,
      headers: { authorization: 'Bearer support', 'x-support-reason': 'case 7' },
    });
    expect((await runCli(['user', 'sync', KRN, ...target])).out).toContain('npm run logs -- --event evt-1');
    await api.stop();
  });

  it('sends a reason with any characters, as UTF-8', async () => {
    const api = await JsonServer.start();
    api.answer(204, undefined);
    const reason = 'Fall – 17 Łukasz';
    const target = ['--base-url', api.url, '--token', 'support', '--reason', reason];
    expect(await runCli(['user', 'unlock', KRN, ...target])).toMatchObject({ code: 0, err: '' });
    // Node decodes headers as Latin-1, and idp-support decodes them again as UTF-8.
    const sent = String(api.requests.at(-1)?.headers['x-support-reason']);
    expect(Buffer.from(sent, 'latin1').toString('utf8')).toBe(reason);
    await api.stop();
  });
});
