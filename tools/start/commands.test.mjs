import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { APPS, variableOf } from '../../apps/apps.js';

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'commands-'));
after(() => fs.rmSync(home, { recursive: true, force: true }));

/** Runs one of the commands with a stack folder of its own. */
async function run(file, args, env = {}) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, file), ...args], {
    env: { ...process.env, TANDEM_DIR: home, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const [code] = await once(child, 'exit');
  return { code, out, err };
}

describe('npm start', () => {
  it('names every port in use and the variable that moves it, and starts nothing', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = String(/** @type {net.AddressInfo} */ (server.address()).port);
    const ports = {
      EDGE_PORT: port,
      TANDEM_POSTGRES_PORT: 'abc',
      SANDBOX_PORT: '0',
      ...Object.fromEntries(APPS.map(({ name }) => [variableOf(name, 'PORT'), '0'])),
    };
    const { code, err } = await run('start.mjs', [], ports);
    server.close();
    assert.equal(code, 1);
    assert.match(err, new RegExp(`port ${port} \\(edge\\) is in use: set EDGE_PORT to another one`));
    assert.match(err, /TANDEM_POSTGRES_PORT must be a port from 0 to 65535, not "abc"/);
    assert.deepEqual(
      fs.readdirSync(home).filter((name) => name.endsWith('.pid') || name.endsWith('.json')),
      [],
    );
  });

  it('refuses an unknown bus, and explains itself', async () => {
    const wrong = await run('start.mjs', ['--bus', 'rabbit']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /--bus must be kafka or postgres, not "rabbit"/);
    const help = await run('start.mjs', ['--help']);
    assert.equal(help.code, 0);
    assert.match(help.out, /EDGE_PORT 8080/);
  });
});

describe('npm start -- --bus kafka', () => {
  it('fetches Kafka in a step of its own, which may take as long as the network does, and says why it could not', async () => {
    const programs = fs.mkdtempSync(path.join(home, 'programs-'));
    const program = (name, text) =>
      fs.writeFileSync(path.join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    program('java', `echo 'openjdk version "17.0.1"' >&2`);
    program('mvn', 'echo the repository cannot be reached; exit 1');
    const names = [
      'EDGE_PORT',
      'SANDBOX_PORT',
      'TANDEM_KAFKA_PORT',
      ...APPS.map(({ name }) => variableOf(name, 'PORT')),
    ];
    const { code, out, err } = await run('start.mjs', ['--bus', 'kafka'], {
      ...Object.fromEntries(names.map((name) => [name, '0'])),
      PATH: `${programs}${path.delimiter}${process.env.PATH}`,
      TANDEM_POSTGRES_URL: 'postgres://127.0.0.1:1/none',
      JAVA_HOME: '',
      KAFKA_BROKERS: '',
      KAFKA_CACHE_DIR: path.join(home, 'kafka-cache'),
    });
    assert.equal(code, 1);
    assert.match(out, /✗ fetch Kafka/);
    assert.match(err, /the repository cannot be reached/);
  });
});

describe('npm run stack:info', () => {
  it('says beside npm start that its stack is described already', async () => {
    const start = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'start.mjs']);
    const runner = path.join(home, 'runner.pid');
    fs.writeFileSync(runner, String(start.pid));
    try {
      const { code, err } = await run('stack-info.mjs', []);
      assert.equal(code, 1);
      assert.match(
        err,
        new RegExp(`npm start runs here \\(process ${start.pid}\\) and describes its stack in .*stack\\.json itself`),
      );
    } finally {
      fs.rmSync(runner, { force: true });
      start.kill();
    }
  });
});

describe('npm run partner', () => {
  const seen = [];
  let server;
  let target;
  before(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        seen.push({
          method: request.method,
          url: request.url,
          token: request.headers.authorization,
          body: body && JSON.parse(body),
        });
        const answers = {
          'GET /admin/partners?limit=2': [
            200,
            { items: [{ id: 'ptn_1', name: 'One', contactEmail: null }], nextCursor: 'next', hasMore: true },
          ],
          'DELETE /admin/tokens/tok_1': [204],
          'GET /admin/partners': [
            200,
            {
              items: [{ id: `ptn_${'1'.repeat(32)}`, name: 'n'.repeat(200), kind: 'promotion' }],
              nextCursor: null,
              hasMore: false,
            },
          ],
          'POST /admin/sales/sub_1/release': [
            200,
            { oid: 'sub_1', status: 'qualified', items: [{ price: '9.00', quantity: '2', tier: '' }] },
          ],
          'POST /admin/partners/ptn_1/tokens': [201, { id: 'tok_1', token: 'ptk_live_x' }],
          'POST /admin/partners': [201, { id: 'ptn_2', name: 'Two' }],
          'POST /admin/partners/ptn_1/promotions': [
            422,
            { code: 'validation_failed', detail: 'no', errors: [{ field: 'percentOff', message: 'too much' }] },
          ],
        };
        const [status, answer] = answers[`${request.method} ${request.url}`] ?? [
          404,
          { code: 'not_found', detail: 'nothing' },
        ];
        response.writeHead(status, { 'content-type': 'application/json' }).end(answer && JSON.stringify(answer));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {net.AddressInfo} */ (server.address());
    target = ['--base-url', `http://127.0.0.1:${port}`, '--token', 'manager'];
  });
  after(() => server.close());

  it('prints a list as a table, without empty columns [admin.cli]', async () => {
    const { code, out } = await run('partner.mjs', ['list', '--limit', '2', ...target]);
    assert.equal(code, 0);
    assert.equal(out, 'id     name\nptn_1  One\nmore: --cursor next\n');
    assert.equal(seen.at(-1).token, 'Bearer manager');
  });

  it('prints no table wider than the terminal, and everything with --json', async () => {
    const { out } = await run('partner.mjs', ['list', ...target], { COLUMNS: '70' });
    assert.deepEqual(
      out.split('\n').filter((line) => line.length > 70),
      [],
    );
    assert.match(out, /ptn_1{32}/);
    assert.match(out, /--json/);
    const { out: whole } = await run('partner.mjs', ['list', '--json', ...target], { COLUMNS: '70' });
    assert.equal(JSON.parse(whole).items[0].name.length, 200);
  });

  it('prints the sale that was released, and not only its items', async () => {
    const { code, out } = await run('partner.mjs', ['release-sale', 'sub_1', ...target]);
    assert.equal(code, 0);
    assert.equal(out, 'oid     sub_1\nstatus  qualified\nitems   price 9.00, quantity 2, tier –\n');
  });

  it('leaves the scopes of a token to the kind of the partner, unless they are named', async () => {
    await run('partner.mjs', ['issue-token', 'ptn_1', ...target]);
    assert.deepEqual(seen.at(-1).body, { environment: 'live' });
    await run('partner.mjs', ['issue-token', 'ptn_1', '--scopes', 'vouchers:read, vouchers:create', ...target]);
    assert.deepEqual(seen.at(-1).body, { environment: 'live', scopes: ['vouchers:read', 'vouchers:create'] });
  });

  it('creates a partner with its endpoint limits', async () => {
    await run('partner.mjs', [
      'create',
      '--name',
      'Two',
      '--kind',
      'promotion',
      '--endpoint-concurrency',
      '5',
      ...target,
    ]);
    assert.deepEqual(seen.at(-1).body, { name: 'Two', kind: 'promotion', endpointLimits: { concurrency: 5 } });
  });

  it('sends what it was told [admin.cli]', async () => {
    await run('partner.mjs', [
      'create',
      '--name',
      'Two',
      '--kind',
      'promotion',
      '--revoke-window-days',
      '7',
      ...target,
    ]);
    assert.deepEqual(seen.at(-1).body, { name: 'Two', kind: 'promotion', revokeWindowDays: 7 });
    for (const [given, concurrency] of [
      ['5', 5],
      ['default', null],
    ]) {
      await run('partner.mjs', ['change', 'ptn_1', '--endpoint-concurrency', given, ...target]);
      assert.equal(`${seen.at(-1).method} ${seen.at(-1).url}`, 'PATCH /admin/partners/ptn_1');
      assert.deepEqual(seen.at(-1).body, { endpointLimits: { concurrency } });
    }
    assert.match((await run('partner.mjs', ['revoke-token', 'tok_1', ...target])).out, /tok_1 is revoked/);
  });

  it('says what is missing or refused, and fails [admin.cli]', async () => {
    const missing = await run('partner.mjs', ['create', ...target]);
    assert.deepEqual([missing.code, /missing: --name, --kind/.test(missing.err)], [2, true]);
    const refused = await run('partner.mjs', [
      'add-promotion',
      'ptn_1',
      '--code',
      'X',
      '--percent-off',
      '900',
      ...target,
    ]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /422 validation_failed: no\n {2}percentOff: too much/);
    assert.equal((await run('partner.mjs', ['fly', ...target])).code, 2);
  });

  it('says that no stack runs when it is not told where to go', async () => {
    const { code, err } = await run('partner.mjs', ['list']);
    assert.equal(code, 1);
    assert.match(err, /no stack runs here: start one with npm start/);
  });
});

describe('npm run token', () => {
  it('wants a KRN', async () => {
    assert.match((await run('token.mjs', [])).err, /--krn is missing/);
    assert.match((await run('token.mjs', ['--krn', 'bob'])).err, /--krn must be like/);
  });
});

describe('npm run dead-letters', () => {
  it('wants to know what to replay', async () => {
    const { code, err } = await run('dead-letters.mjs', ['replay', '--app', 'partner-gateway'], {
      DATABASE_URL: 'postgres://x',
    });
    assert.equal(code, 2);
    assert.match(err, /replay needs either --id or --topic/);
  });
});

describe('npm run events', () => {
  it('wants to know which group to abandon', async () => {
    const env = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/x' };
    const unknown = await run('events.mjs', ['forget'], env);
    assert.deepEqual([unknown.code, /there is no command "forget"/.test(unknown.err)], [2, true]);
    assert.match((await run('events.mjs', ['--help'], env)).out, /npm run events -- abandon GROUP/);
  });

  describe(
    'in a database with the Postgres bus',
    { skip: !process.env.DATABASE_URL && 'DATABASE_URL is not set' },
    () => {
      const name = `events_${process.pid}`;
      const env = { DATABASE_URL: '' };
      const onServer = async (sql) => {
        const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
        await client.connect();
        await client.query(sql).finally(() => client.end());
      };
      const inDatabase = async (sql) => {
        const client = new pg.Client({ connectionString: env.DATABASE_URL });
        await client.connect();
        await client.query(sql).finally(() => client.end());
      };
      before(async () => {
        await onServer(`create database ${name}`);
        const url = new URL(process.env.DATABASE_URL);
        url.pathname = `/${name}`;
        env.DATABASE_URL = url.toString();
        // What the commands read and write of the bus; its migrations are tested with the bus.
        await inDatabase(`
        create schema bus;
        create table bus.group_cursor (group_name text);
        create table bus.running (group_name text);
        insert into bus.group_cursor values ('gone'), ('running');
        insert into bus.running values ('running');
        create view bus.group_lag as select group_name, 'sale.completed' as topic, 3::bigint as events, now() as oldest_at,
          (select count(*)::int from bus.running r where r.group_name = c.group_name) as members from bus.group_cursor c`);
      });
      after(() => onServer(`drop database if exists ${name} with (force)`));

      it('lists groups, abandons one that is gone, and none that still reads', async () => {
        const groups = async () => JSON.parse((await run('events.mjs', ['groups', '--json'], env)).out);
        assert.deepEqual(
          (await groups()).map(({ group, unread }) => [group, unread]),
          [
            ['gone', 3],
            ['running', 3],
          ],
        );
        assert.match((await run('events.mjs', ['groups'], env)).out, /gone +sale\.completed +3/);
        const running = await run('events.mjs', ['abandon', 'running'], env);
        assert.deepEqual([running.code, /stop it first/.test(running.err)], [1, true]);
        assert.match((await run('events.mjs', ['abandon', 'gone'], env)).out, /gone is abandoned/);
        assert.deepEqual(
          (await groups()).map(({ group }) => group),
          ['running'],
        );
        assert.match((await run('events.mjs', ['abandon', 'gone'], env)).err, /there is no group "gone"/);
      });
    },
  );
});
