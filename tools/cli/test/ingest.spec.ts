import { JsonServer, type SeenRequest, TestServiceKeys } from '@tandem/testing';
import { type Outcome, runCli } from './cli';

const KEYS = new TestServiceKeys('operator');
const WEBHOOK = {
  id: 'evt_1',
  integration: 'payments',
  type: 'subscription.expired',
  receivedAt: '2026-01-01T00:00:00.000Z',
  outcome: 'accepted',
  oid: 'sub_1',
  user: null,
};
const idsOf = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ ...WEBHOOK, id: `evt_${from - index}` }));

function answerTo({ method, url, body }: SeenRequest): [number, unknown] {
  if (url === '/internal/webhooks?oid=sub_1') return [200, { items: [WEBHOOK], nextCursor: 'next', hasMore: true }];
  if (url === '/internal/webhooks?integration=array&limit=500')
    return [200, { items: idsOf(150, 100), nextCursor: 'more', hasMore: true }];
  if (url === '/internal/webhooks?integration=array&limit=500&cursor=more')
    return [200, { items: idsOf(50, 50), nextCursor: null, hasMore: false }];
  if (url.startsWith('/internal/webhooks/content?id=evt_1'))
    return [200, { ...WEBHOOK, events: [{ topic: 'payment.received', eventId: 'e-1' }], body: { data: '***' } }];
  if (url === '/internal/webhooks?oid=sub_down') return [503, { error: 'The database is not available' }];
  if (method !== 'POST') return [404, { error: 'There is no stored webhook with this id' }];
  const { ids } = body as { ids: string[] };
  return [
    200,
    { items: ids.map((id) => ({ id, outcome: id === 'evt_gone' ? 'not_found' : 'published', events: [] })) },
  ];
}

describe('tandem ingest', () => {
  let app: JsonServer;
  beforeAll(async () => {
    app = await JsonServer.start();
    app.answerBy(answerTo);
  });
  beforeEach(() => void app.requests.splice(0));
  afterAll(() => app.stop());

  const run = (...args: string[]): Promise<Outcome> =>
    runCli(['ingest', ...args], {
      WEBHOOK_INGEST_URL: app.url,
      OPERATOR_PRIVATE_KEY: KEYS.privateKeyOf('operator'),
      USER: 'jo',
    });

  it('names the page of the docs that helps when the app answers 503', async () => {
    const { code, err } = await run('list', '--oid', 'sub_down');
    expect([code, err]).toEqual([1, expect.stringMatching(/database is not available\n.*on-call\.md/)]);
  });

  it('names the address and the cause when the app does not answer', async () => {
    const gone = await JsonServer.start();
    await gone.stop();
    const env = { WEBHOOK_INGEST_URL: gone.url, OPERATOR_PRIVATE_KEY: KEYS.privateKeyOf('operator') };
    const { code, err } = await runCli(['ingest', 'list'], env);
    expect([code, err]).toEqual([1, expect.stringContaining(`GET ${gone.url}/internal/webhooks: ECONNREFUSED`)]);
  });

  it('lists webhooks by a filter, with a service token, and prints the option for the next page', async () => {
    const { code, out } = await run('list', '--oid', 'sub_1');
    expect(code).toBe(0);
    expect(out).toMatch(/subscription\.expired {2}sub_1 {2}evt_1\nmore: --cursor next\n$/);
    expect(app.requests).toHaveLength(1);
    expect(app.requests.at(-1)).toMatchObject({
      method: 'GET',
      url: '/internal/webhooks?oid=sub_1',
      headers: { authorization: expect.stringMatching(/^Bearer \S+\.\S+\.\S+$/) },
    });
  });

  it('shows a masked body unless --whole and a --reason are given, and sends the reason with the operator', async () => {
    const { out } = await run('show', 'evt_1');
    expect(out).toMatch(/event {8}payment\.received e-1\n\{\n {2}"data": "\*\*\*"\n\}/);
    const without = await run('show', 'evt_1', '--whole');
    expect(without.code).toBe(2);
    expect(without.err).toMatch(/give a --reason/);
    await run('show', 'evt_1', '--whole', '--reason', 'a test');
    expect(app.requests.at(-1)?.url).toBe('/internal/webhooks/content?id=evt_1&operator=jo&reason=a+test');
  });

  it('replays the given webhooks; if some of them cannot be replayed, lists these and exits with 1', async () => {
    const { code, out } = await run('replay', 'evt_1', 'evt_gone', '--reason', 'a test', '--operator', 'kim');
    expect(code).toBe(1);
    expect(out).toBe('1 of 2 published again\nnot found   evt_gone\n');
    expect(app.requests.at(-1)?.body).toEqual({ ids: ['evt_1', 'evt_gone'], operator: 'kim', reason: 'a test' });
  });

  it('replays the webhooks that match a filter, oldest first, only with --yes', async () => {
    const asked = await run('replay', '--integration', 'array', '--reason', 'a test');
    expect(asked.out).toBe('150 webhooks match: add --yes to publish them again\n');
    expect(app.requests.every(({ method }) => method === 'GET')).toBe(true);
    const done = await run('replay', '--integration', 'array', '--reason', 'a test', '--yes');
    expect(done.out).toBe('150 of 150 published again\n');
    expect(done.code).toBe(0);
    const chunks = app.requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => (body as { ids: string[] }).ids);
    expect(chunks.map(({ length }) => length)).toEqual([100, 50]);
    expect(chunks.flat()).toEqual(Array.from({ length: 150 }, (_, index) => `evt_${index + 1}`));
  });

  it('exits with 2 for invalid arguments, and with 1 for an unknown webhook', async () => {
    for (const args of [
      ['replay', 'evt_1'],
      ['replay', '--reason', 'r'],
      ['replay', 'evt_1', '--oid', 'o', '--reason', 'r'],
      ['show'],
      ['list', 'x'],
      ['drop'],
      ['list', '--what'],
      ['list', '--outcome', 'lost'],
    ]) {
      const { code, err } = await run(...args);
      expect([args, code]).toEqual([args, 2]);
      expect(err).not.toBe('');
    }
    expect(app.requests).toEqual([]);
    const missing = await run('show', 'nothing');
    expect(missing.code).toBe(1);
    expect(missing.err).toMatch(/404: There is no stored webhook/);
  });
});
