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

/** The name of the span of one of the last requests in the story. Once all spans with this name are exported, earlier spans are too. */
const LAST_SPAN = 'PATCH /idp/array/users/me';
/** The number of spans with the name `LAST_SPAN` that the story causes. */
const LAST_COUNT = 3;

/** For each bus, places that contain the user's KRN. A search that does not find the KRN there has not searched the place. */
const PLACES = {
  postgres: [/^table bus\.event_log$/],
  kafka: [/^kafka\/.*enrollment\.sync-\d+\/\d+\.log$/],
};

for (const bus of /** @type {const} */ (['postgres', 'kafka'])) {
  const describeBus = bus === 'kafka' && process.env['KAFKA_SKIP'] ? describe.skip : describe;
  describeBus(`personal data of a stack on ${bus}`, () => searchStack(bus));
}

/** Searches everything that a stack wrote during the story in private-data-story.mjs. */
function searchStack(bus) {
  /** For each place, a function that returns the bytes that were written there. */
  const written = new Map();
  let running;
  let collector;

  beforeAll(async () => {
    collector = await JsonServer.start();
    collector.answer(200, {});
    // Without KAFKA_BROKERS, the stack starts its own broker, whose files are in the stack's folder and can be searched.
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

  it('would be found by the search in each form that formsOf() in encodings.mjs returns', () => {
    for (const [name, form] of formsOf('Quackenbush')) {
      const text = Buffer.concat([Buffer.from('x'.repeat(7)), form, Buffer.from('y')]);
      expect([name, foundIn(text, ['Quackenbush']).length > 0]).toEqual([name, true]);
    }
    // The Base64 form of the name depends on its offset modulo 3.
    for (const before of ['', 'a', 'ab', 'abc']) {
      const encoded = Buffer.from(Buffer.from(`${before}Quackenbush!`).toString('base64'));
      expect(foundIn(encoded, ['Quackenbush'])).not.toEqual([]);
    }
  });

  it('is in no file, table, event, log line, metric, span or error of a stack, in any searched form [idp-user.private]', () => {
    const found = [...written].flatMap(([where, bytes]) => foundIn(bytes(), VALUES).map((what) => `${where}: ${what}`));
    expect(found).toEqual([]);
  });

  it('was searched for in places that contain the user’s KRN: tables, events, data files, logs of webhook-ingest and idp-api', () => {
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

  it('is not needed to find the log lines of a user with `npm run logs -- --krn`', async () => {
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

  it('is not needed to explain a lock with `npm run user -- why`, without options for the stack [idp-user.story]', async () => {
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
