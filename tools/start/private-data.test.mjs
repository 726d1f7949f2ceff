import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { APPS, variableOf } from '../../apps/apps.js';
import { formsOf } from './encodings.mjs';
import { requestJson } from './http.mjs';

/** A start that has to build takes most of it, on a machine that may be busy with other tests; the rest takes some seconds. */
const TIMEOUT_MS = 600_000;
const PAGE_BYTES = 8192;

/** What a user and billing tell of a person, and what a careless writer would make of it. */
const PERSON = {
  firstName: 'Zebulonia',
  lastName: 'Quackenbush',
  dob: '1971-11-23',
  emailAddress: 'zebulonia.quackenbush@mailbox.test',
  phoneNumber: '5039174460',
  ssn: '287653109',
  address: { street: '4711 Hollyhock Terrace', city: 'Wilsonvillage', state: 'OR', zip: '97070-1234' },
};
const CHANGED = {
  emailAddress: 'new.quackenbush@letterbox.test',
  phoneNumber: '5417726189',
  ssn: '519284736',
  address: { street: '815 Foxglove Crescent', city: 'Marigoldton', state: 'WA', zip: '98101-5678' },
};
const VALUES = [PERSON, CHANGED]
  .flatMap(({ address: { state: _state, ...address }, ...fields }) => [
    ...Object.values(fields),
    ...Object.values(address),
  ])
  .concat('zebulonia.quackenbush', 'Hollyhock', '503-917-4460', '(503) 917-4460', '287-65-3109', '519-28-4736')
  .concat('23.11.1971', '11/23/1971', '11-23-1971');

const KRN = `krn:tandem:test:user:${randomUUID()}`;
const OID = `sub_${randomUUID()}`;
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
    await lookAt(stack, written);
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

/** @returns the answers that refused something */
async function liveOn({ baseUrl, sandbox, webhooks, postgres }) {
  const minted = await requestJson('POST', `${sandbox.issuer}/token`, {
    body: { family: 'service', sub: KRN, amr: ['mfa'], authTime: Math.floor(Date.now() / 1000) },
  });
  const refused = [];
  const ask = async (expected, method, at, body) => {
    // A text is sent as it is: requestJson would quote it.
    const answer = await fetch(`${baseUrl}/idp/array/users${at}`, {
      method,
      headers: { authorization: `Bearer ${minted.body.token}`, ...(body && { 'content-type': 'application/json' }) },
      body: typeof body === 'object' ? JSON.stringify(body) : body,
    });
    const text = await answer.text();
    if (answer.status >= 400) refused.push(text);
    assert.equal(answer.status, expected, `${method} ${at}: ${text}`);
    return text;
  };
  const fail = (route, fault, times) =>
    requestJson('PUT', `${sandbox.vendor}/faults`, { body: { route, fault, times } });

  await sell(`${baseUrl}/idp/payments/webhook`, webhooks.payments.secret);
  await untilEntitled(postgres.url);
  await ask(400, 'POST', '', {
    ...PERSON,
    ssn: `${PERSON.ssn}0`,
    phoneNumber: '+1 (503) 917-4460 ext',
    dob: '1871-11-23',
  });
  await ask(400, 'POST', '', JSON.stringify(PERSON).slice(0, -1));
  await fail('users', 'error', 1);
  await ask(502, 'POST', '', { ...PERSON, version: 1 });
  await ask(200, 'POST', '', { ...PERSON, version: 1 });
  await ask(200, 'GET', '/me');
  await ask(200, 'PATCH', '/me', { emailAddress: CHANGED.emailAddress, phoneNumber: CHANGED.phoneNumber });
  await ask(200, 'PATCH', '/me', { ssn: CHANGED.ssn, address: CHANGED.address });
  await ask(200, 'GET', '/me/dashboard');
  await fail('verify', 'refuse', 1);
  await ask(429, 'PATCH', '/me', { ssn: PERSON.ssn });
  await ask(404, 'GET', `/me/${encodeURIComponent(PERSON.emailAddress)}?ssn=${PERSON.ssn}`);
  return refused;
}

/** The purchase comes by the bus. */
const untilEntitled = (url) =>
  connected(url, async (client) => {
    const known = () => client.query('select 1 from idp.subscription where krn = $1', [KRN]);
    while ((await known()).rowCount === 0) await delay(50);
  });

/** Billing tells more of the buyer than anybody here needs. */
async function sell(url, secret) {
  const { signWebhook } = createRequire(import.meta.url)('@tandem/auth');
  const { emailAddress: email, phoneNumber: phone, ...person } = PERSON;
  const data = {
    subscriptionId: OID,
    customer: { krn: KRN, email, phone, ...person },
    plan: 'pro',
    entitlements: ['idp.identity', 'idp.credit', 'idp.removal', 'idp.titles'],
    currency: 'USD',
    amount: '99.90',
    paymentStatus: 'captured',
    firstPayment: true,
    items: [{ price: '99.90', category: 'Pro' }],
    attribution: {},
  };
  for (const paymentStatus of ['captured', 'unheard of']) {
    const id = `evt_${randomUUID()}`;
    const event = { id, type: 'subscription.purchased', timestamp: new Date().toISOString() };
    const body = JSON.stringify({ ...event, data: { ...data, paymentStatus } });
    const timestamp = new Date();
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
        'webhook-signature': signWebhook({ secrets: [secret], id, timestamp, body }),
      },
      body,
    });
    assert.equal(answer.status, paymentStatus === 'captured' ? 200 : 400, await answer.text());
  }
}

/** Reads all tables and metrics, then every file of the stack, those of Postgres and its write-ahead log among them. */
async function lookAt({ apps, postgres }, written) {
  await connected(postgres.url, async (client) => {
    const { rows: tables } = await client.query(
      `select schemaname || '.' || tablename as name, format('%I.%I', schemaname, tablename) as sql from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    for (const { name, sql } of tables) {
      const { rows } = await client.query(`select to_jsonb(t) as row from ${sql} t`);
      const text = Buffer.from(rows.map(({ row }) => Object.values(row).map(plain).join('\n')).join('\n'));
      written.set(`table ${name}`, () => text);
    }
    await client.query('checkpoint');
  });
  for (const [name, { metrics }] of Object.entries(apps)) {
    const text = Buffer.from(await (await fetch(metrics)).text());
    written.set(`metrics of ${name}`, () => text);
  }
  for (const entry of fs.readdirSync(home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    written.set(path.relative(home, file), () => withoutEmptyPages(readFile(file)));
  }
}

async function connected(url, work) {
  const { Client } = createRequire(import.meta.url)('pg');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A column's value; bytes, which Postgres shows in hex, as what they are. */
function plain(value) {
  if (typeof value === 'string' && /^\\x(?:[0-9a-f]{2})*$/.test(value))
    return Buffer.from(value.slice(2), 'hex').toString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Postgres removes files of its own as it goes. */
function readFile(file) {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** Segments of the log are mostly empty. */
function withoutEmptyPages(bytes) {
  const empty = Buffer.alloc(PAGE_BYTES);
  const pages = [];
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
    const page = bytes.subarray(at, at + PAGE_BYTES);
    if (!page.equals(empty.subarray(0, page.length))) pages.push(page);
  }
  return Buffer.concat(pages);
}

const forms = new Map();

/** The values that bytes have, and in which form. */
function foundIn(bytes, values) {
  for (const value of values) if (!forms.has(value)) forms.set(value, formsOf(value));
  return values.flatMap((value) =>
    [...forms.get(value)].filter(([, form]) => bytes.includes(form)).map(([form]) => `${value} as ${form}`),
  );
}
