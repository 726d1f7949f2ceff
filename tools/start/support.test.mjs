import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeSecrets } from './secrets.mjs';

const { serviceKeys } = makeSecrets();
const KRN = 'krn:tandem:test:user:alice';
const ENTRY = {
  id: '7',
  actor: 'agent-7',
  action: 'user.sync',
  krn: KRN,
  reason: null,
  requestId: 'req-1',
  details: { eventId: 'evt-1' },
  outcome: 'failed',
  error: 'service_unavailable',
  startedAt: '2026-01-05T09:30:00.000Z',
  finishedAt: '2026-01-05T09:30:15.000Z',
};

/** The command, against a server that answers as idp-support does. */
describe('npm run support', () => {
  const asked = [];
  let answer;
  let server;
  let url;
  before(async () => {
    server = createServer((request, response) => {
      asked.push({ url: request.url, token: request.headers.authorization });
      const [status, body] = answer;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  });
  after(() => server.close());

  /** @param {string[]} args @param {Record<string, string>} [env] */
  async function run(args, env = { IDP_SUPPORT_URL: url, OPERATOR_PRIVATE_KEY: serviceKeys.operator }) {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'support.mjs'), ...args], {
      env: { ...process.env, OPERATOR_PRIVATE_KEY: '', ...env },
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    const [code] = await once(child, 'exit');
    return { code, out, err };
  }

  it('lists the acts of one page, and says how the next one is asked for', async () => {
    answer = [200, { items: [ENTRY], nextCursor: '7', hasMore: true }];
    const { code, out } = await run(['audit', '--user', KRN, '--actor', 'agent-7', '--limit', '1', '--cursor', '8']);
    assert.equal(code, 0);
    for (const text of [ENTRY.startedAt, 'agent-7', 'user.sync', KRN, 'failed: service_unavailable', 'eventId evt-1']) {
      assert.ok(out.includes(text), `${text} is not in ${out}`);
    }
    assert.match(out, /more: --cursor 7\n$/);
    const { pathname, searchParams } = new URL(/** @type {string} */ (asked.at(-1)?.url), url);
    assert.equal(pathname, '/internal/audit');
    assert.deepEqual(Object.fromEntries(searchParams), { krn: KRN, actor: 'agent-7', limit: '1', cursor: '8' });
    assert.match(String(asked.at(-1)?.token), /^Bearer \S+\.\S+\.\S+$/);
  });

  it('prints the page as JSON, and says when there are no entries', async () => {
    const page = { items: [], nextCursor: null, hasMore: false };
    answer = [200, page];
    assert.deepEqual(JSON.parse((await run(['audit', '--json'])).out), page);
    assert.equal((await run(['audit'])).out, 'no entries\n');
  });

  it('exits with 2 and its usage for a value that is refused, and for an address without a key', async () => {
    answer = [400, { error: 'krn: krn must be the KRN of a user' }];
    const refused = await run(['audit', '--user', 'bob']);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /krn must be the KRN of a user\n\nnpm run support -- audit/);
    const partly = await run(['audit'], { IDP_SUPPORT_URL: url });
    assert.equal(partly.code, 2);
    assert.match(partly.err, /IDP_SUPPORT_URL needs OPERATOR_PRIVATE_KEY/);
    assert.equal((await run(['list'])).code, 2);
  });

  it('exits with 1 when idp-support fails', async () => {
    answer = [503, { error: 'try again' }];
    const { code, err } = await run(['audit']);
    assert.deepEqual([code, err], [1, '503: try again\n']);
  });
});
