import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { APPS, variableOf } from '../../apps/apps.js';
import { formsOf } from './encodings.mjs';
import { KRN, liveOn, OID, VALUES } from './private-data-story.mjs';
import { foundIn, readEverything } from './written-data.mjs';

/** A start that has to build takes most of it, on a machine that may be busy with other tests; the rest takes some seconds. */
const TIMEOUT_MS = 600_000;

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'private-'));
fs.chmodSync(home, 0o755); // Postgres runs as another account when we are root
after(() => fs.rmSync(home, { recursive: true, force: true }));

/** Everything that a stack wrote while a user bought, signed up, was refused, changed and left, and the vendor failed. */
describe('personal data of a stack', { timeout: TIMEOUT_MS }, () => {
  const ports = [
    'EDGE_PORT',
    'SANDBOX_PORT',
    'TANDEM_POSTGRES_PORT',
    ...APPS.map(({ name }) => variableOf(name, 'PORT')),
  ];
  const environment = {
    ...process.env,
    ...Object.fromEntries(ports.map((name) => [name, '0'])),
    TANDEM_DIR: home,
    TANDEM_POSTGRES_URL: '',
    LOG_LEVEL: 'trace',
    MOCK_ENABLED: 'true',
  };
  /** What was written, by where. */
  const written = new Map();
  let runner;
  let stack;

  before(async () => {
    runner = spawn(process.execPath, [path.join(import.meta.dirname, 'start.mjs'), '--bus', 'postgres'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'], // the channel tells the runner when this process is gone
    });
    const output = [];
    for (const stream of [runner.stdout, runner.stderr]) stream.on('data', (chunk) => output.push(chunk));
    const file = path.join(home, 'stack.json');
    while (!fs.existsSync(file)) {
      if (runner.exitCode !== null) throw new Error(`the stack did not start: ${Buffer.concat(output)}`);
      await delay(100);
    }
    stack = JSON.parse(fs.readFileSync(file, 'utf8'));
    const answers = await liveOn(stack);
    written.set('output of npm start', () => Buffer.concat(output));
    written.set('errors of the client API', () => Buffer.from(answers.join('\n')));
    await readEverything(home, stack, written);
  });
  after(async () => {
    if (!runner || runner.exitCode !== null) return;
    runner.kill('SIGTERM');
    await once(runner, 'exit');
  });

  it('is found in every form that the search knows', () => {
    for (const [name, form] of formsOf('Quackenbush')) {
      const text = Buffer.concat([Buffer.from('x'.repeat(7)), form, Buffer.from('y')]);
      assert.deepEqual([name, foundIn(text, ['Quackenbush']).length > 0], [name, true]);
    }
    for (const before of ['', 'a', 'ab', 'abc']) {
      const encoded = Buffer.from(Buffer.from(`${before}Quackenbush!`).toString('base64'));
      assert.notDeepEqual(foundIn(encoded, ['Quackenbush']), []);
    }
  });

  it('is in no file, table, event, log line, metric or error of a stack, in no form [idp-user.private]', () => {
    const found = [...written].flatMap(([where, bytes]) => foundIn(bytes(), VALUES).map((what) => `${where}: ${what}`));
    assert.deepEqual(found, []);
  });

  it('was looked for where the user is: tables, events, data files, logs of both apps', () => {
    const places = [...written].filter(([, bytes]) => bytes().includes(KRN)).map(([where]) => where);
    for (const expected of [
      'table idp.verification',
      'table bus.event_log',
      'logs/idp-api.log',
      'logs/webhook-ingest.log',
    ]) {
      assert.ok(places.includes(expected), `${expected} is not among ${places.join(', ')}`);
    }
    for (const folder of ['base', 'pg_wal']) {
      const pattern = new RegExp(`^postgres/(?:.*/)?${folder}/`);
      assert.ok(
        places.some((where) => pattern.test(where)),
        `${folder} is not among ${places.join(', ')}`,
      );
    }
    assert.ok([...written.keys()].some((where) => where.startsWith('sandbox/')));
    assert.equal([...written.keys()].filter((where) => where.startsWith('metrics of')).length, APPS.length);
  });

  it('npm run logs -- --krn leads from the webhook to what idp-api did', async () => {
    const lines = (await run('logs.mjs', ['--krn', KRN, '--json']))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const messages = lines.map(({ app, msg }) => `${app} ${msg}`);
    for (const expected of [
      'webhook-ingest webhook.received',
      'idp-api enrollment.synced',
      'idp-api verification.refused',
    ]) {
      assert.ok(messages.includes(expected), `${expected} is not among ${messages.join(', ')}`);
    }
  });

  it('npm run user -- why asks the stack that runs here [idp-user.why]', async () => {
    const { facts, locked } = JSON.parse(await run('user.mjs', ['why', KRN, '--json']));
    assert.equal(facts.user.subscriptions[0].id, OID);
    assert.equal(locked.verdict, 'waiting');
  });

  async function run(file, args) {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, file), ...args], { env: environment });
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    const [code] = await once(child, 'close');
    assert.equal(code, 0, err);
    return out;
  }
});
