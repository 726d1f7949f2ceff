import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { makeSecrets } from './secrets.mjs';

const { serviceKeys } = makeSecrets();
const WEBHOOK = {
  id: 'evt_1',
  integration: 'payments',
  type: 'subscription.expired',
  receivedAt: '2026-01-01T00:00:00.000Z',
  outcome: 'accepted',
  oid: 'sub_1',
  user: null,
};
const idsOf = (from, count) => Array.from({ length: count }, (_, index) => ({ ...WEBHOOK, id: `evt_${from - index}` }));

describe('npm run ingest', () => {
  const seen = [];
  let server;
  let url;

  const answerTo = ({ method, path: asked, body }) => {
    if (asked === '/internal/webhooks?oid=sub_1') return { items: [WEBHOOK], nextCursor: 'next', hasMore: true };
    if (asked === '/internal/webhooks?integration=array&limit=500')
      return { items: idsOf(150, 100), nextCursor: 'more', hasMore: true };
    if (asked === '/internal/webhooks?integration=array&limit=500&cursor=more')
      return { items: idsOf(50, 50), nextCursor: null, hasMore: false };
    if (asked.startsWith('/internal/webhooks/content?id=evt_1'))
      return { ...WEBHOOK, events: [{ topic: 'payment.received', eventId: 'e-1' }], body: { data: '***' } };
    if (method === 'POST')
      return {
        items: body.ids.map((id) => ({ id, outcome: id === 'evt_gone' ? 'not_found' : 'published', events: [] })),
      };
    return null;
  };

  before(async () => {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const { method, url: asked, headers } = request;
      const body = text === '' ? undefined : JSON.parse(text);
      seen.push({ method, path: asked, body, isSigned: /^Bearer \S+\.\S+\.\S+$/.test(headers.authorization ?? '') });
      const answer = answerTo({ method, path: asked, body });
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: 'There is no stored webhook with this id' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  });
  beforeEach(() => void seen.splice(0));
  after(() => server.close());

  async function run(...args) {
    const env = { ...process.env, WEBHOOK_INGEST_URL: url, OPERATOR_PRIVATE_KEY: serviceKeys.operator, USER: 'jo' };
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'ingest.mjs'), ...args], { env });
    let out = '';
    let err = '';
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    const [code] = await once(child, 'close');
    return { code, out, err };
  }

  it('lists by a filter, with a service token, and tells how to go on', async () => {
    const { code, out } = await run('list', '--oid', 'sub_1');
    assert.equal(code, 0);
    assert.match(out, /subscription\.expired {2}sub_1 {2}evt_1\nmore: --cursor next\n$/);
    assert.deepEqual(seen, [{ method: 'GET', path: '/internal/webhooks?oid=sub_1', body: undefined, isSigned: true }]);
  });

  it('shows a webhook, its events and its body; whole only with a reason, which goes along with the operator', async () => {
    const { out } = await run('show', 'evt_1');
    assert.match(out, /event {8}payment\.received e-1\n\{\n {2}"data": "\*\*\*"\n\}/);
    const without = await run('show', 'evt_1', '--whole');
    assert.equal(without.code, 2);
    assert.match(without.err, /give a --reason/);
    await run('show', 'evt_1', '--whole', '--reason', 'a test');
    assert.equal(seen.at(-1).path, '/internal/webhooks/content?id=evt_1&operator=jo&reason=a+test');
  });

  it('replays those that are named, says which it could not, and ends with 1 then', async () => {
    const { code, out } = await run('replay', 'evt_1', 'evt_gone', '--reason', 'a test', '--operator', 'kim');
    assert.equal(code, 1);
    assert.equal(out, '1 of 2 published again\nnot found   evt_gone\n');
    assert.deepEqual(seen.at(-1).body, { ids: ['evt_1', 'evt_gone'], operator: 'kim', reason: 'a test' });
  });

  it('replays what a filter finds, oldest first, only when it is told --yes', async () => {
    const asked = await run('replay', '--integration', 'array', '--reason', 'a test');
    assert.equal(asked.out, '150 webhooks match: add --yes to publish them again\n');
    assert.ok(seen.every(({ method }) => method === 'GET'));
    const done = await run('replay', '--integration', 'array', '--reason', 'a test', '--yes');
    assert.equal(done.out, '150 of 150 published again\n');
    assert.equal(done.code, 0);
    const chunks = seen.filter(({ method }) => method === 'POST').map(({ body }) => body.ids);
    assert.deepEqual(
      chunks.map(({ length }) => length),
      [100, 50],
    );
    assert.deepEqual(
      chunks.flat(),
      Array.from({ length: 150 }, (_, index) => `evt_${index + 1}`),
    );
  });

  it('refuses what it cannot mean, and explains itself', async () => {
    for (const args of [
      ['replay', 'evt_1'],
      ['replay', '--reason', 'r'],
      ['replay', 'evt_1', '--oid', 'o', '--reason', 'r'],
      ['show'],
      ['list', 'x'],
      ['drop'],
      ['list', '--what'],
    ]) {
      const { code, err } = await run(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, /npm run ingest -- list/);
    }
    assert.deepEqual(seen, []);
    const missing = await run('show', 'nothing');
    assert.equal(missing.code, 1);
    assert.match(missing.err, /404: There is no stored webhook/);
  });
});
