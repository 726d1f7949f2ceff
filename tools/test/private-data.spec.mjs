import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { APPS } from '../../apps/apps.js';
import { formsOf } from './encodings.mjs';
import { inRoot } from '../stack/paths.mjs';
import { KRN, liveOn, OID, VALUES } from './private-data-story.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';
import { foundIn, readEverything } from './written-data.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const { JsonServer, spansOf } = createRequire(import.meta.url)('@tandem/testing');

/** A span at the end of the story: when it has been exported, the earlier spans have been exported too. */
const LAST_SPAN = 'PATCH /idp/array/users/me';
/** How many requests of that route the story has. */
const LAST_COUNT = 3;

/** The places where the user must be found on each bus. If the user is missing from one of them, that place was not searched. */
const PLACES = {
  postgres: [/^table bus\.event_log$/],
  kafka: [/^kafka\/.*enrollment\.sync-\d+\/\d+\.log$/],
};

for (const bus of /** @type {const} */ (['postgres', 'kafka'])) {
  const describeBus = bus === 'kafka' && process.env['KAFKA_SKIP'] ? describe.skip : describe;
  describeBus(`personal data of a stack on ${bus}`, () => searchStack(bus));
}

/** Searches everything that a stack wrote while a user bought, signed up, was refused, changed the profile and left, and the vendor failed. */
function searchStack(bus) {
  /** What was written, by place. */
  const written = new Map();
  let running;
  let collector;

  beforeAll(async () => {
    collector = await JsonServer.start();
    collector.answer(200, {});
    // The stack starts its own broker, whose files are in the stack's folder.
    const OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    const env = { LOG_LEVEL: 'trace', MOCK_ENABLED: 'true', KAFKA_BROKERS: '', OTEL_EXPORTER_OTLP_ENDPOINT };
    running = await startTestStack({ bus, env });
    const answers = await liveOn(running.stack);
    written.set('output of npm start', running.output);
    written.set('errors of the client API', () => Buffer.from(answers.join('\n')));
    await readEverything(running.home, running.stack, written);
    while (spansOf(collector).filter(({ name }) => name === LAST_SPAN).length < LAST_COUNT) await delay(100);
    const spans = Buffer.from(JSON.stringify(collector.requests));
    written.set('spans', () => spans);
  });
  afterAll(async () => {
    await running?.stop();
    await collector?.stop();
  });

  it('is found in every form that the search knows', () => {
    for (const [name, form] of formsOf('Quackenbush')) {
      const text = Buffer.concat([Buffer.from('x'.repeat(7)), form, Buffer.from('y')]);
      expect([name, foundIn(text, ['Quackenbush']).length > 0]).toEqual([name, true]);
    }
    // Base64 encodes the name differently at each offset modulo 3.
    for (const before of ['', 'a', 'ab', 'abc']) {
      const encoded = Buffer.from(Buffer.from(`${before}Quackenbush!`).toString('base64'));
      expect(foundIn(encoded, ['Quackenbush'])).not.toEqual([]);
    }
  });

  it('is in no file, table, event, log line, metric, span or error of a stack, in any form [idp-user.private]', () => {
    const found = [...written].flatMap(([where, bytes]) => foundIn(bytes(), VALUES).map((what) => `${where}: ${what}`));
    expect(found).toEqual([]);
  });

  it('was searched for wherever the user appears: tables, events, data files, logs of both apps', () => {
    const places = [...written].filter(([, bytes]) => bytes().includes(KRN)).map(([where]) => where);
    const expected = [
      /^table idp\.verification$/,
      /^logs\/idp-api\.log$/,
      /^logs\/webhook-ingest\.log$/,
      ...PLACES[bus],
    ];
    for (const place of expected) {
      expect([
        `${place} is not among ${places.join(', ')}`,
        Boolean(places.some((where) => place.test(where))),
      ]).toEqual([`${place} is not among ${places.join(', ')}`, true]);
    }
    for (const folder of ['base', 'pg_wal']) {
      const pattern = new RegExp(`^postgres/(?:.*/)?${folder}/`);
      expect([
        `${folder} is not among ${places.join(', ')}`,
        Boolean(places.some((where) => pattern.test(where))),
      ]).toEqual([`${folder} is not among ${places.join(', ')}`, true]);
    }
    expect([...written.keys()].some((where) => where.startsWith('sandbox/'))).toBeTruthy();
    expect([...written.keys()].filter((where) => where.startsWith('metrics of')).length).toBe(APPS.length);
  });

  it('is followed by `npm run logs -- --krn` from the webhook to what idp-api did', async () => {
    const lines = (await run('logs', '--krn', KRN, '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const messages = lines.map(({ app, msg }) => `${app} ${msg}`);
    for (const expected of [
      'webhook-ingest webhook.received',
      'idp-api enrollment.synced',
      'idp-api verification.refused',
    ]) {
      expect(messages).toContain(expected);
    }
  });

  it('is explained by `npm run user -- why`, which finds the running stack by itself [idp-user.story]', async () => {
    const { user, locked } = JSON.parse(await run('user', 'why', KRN, '--json'));
    expect(user.subscriptions[0].id).toBe(OID);
    expect(locked.verdict).toBe('waiting');
  });

  async function run(...args) {
    const child = spawn(process.execPath, [inRoot('tools/cli/bin/tandem.mjs'), ...args], {
      env: running.environment,
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    const [code] = await once(child, 'close');
    expect([err, code]).toEqual([err, 0]);
    return out;
  }
}
