import os from 'node:os';
import { JsonServer, type SeenRequest } from '@tandem/testing';
import { type Outcome, runCli } from './cli';

const PARTNER = { id: `ptn_${'1'.repeat(32)}`, name: 'n'.repeat(200), kind: 'promotion' };
const SALE = { oid: 'sub_1', status: 'qualified', items: [{ price: '9.00', quantity: '2', tier: '' }] };
const STORY = {
  oid: 'sub_1',
  verdict: 'given_up',
  reason: 'every attempt failed, the last with status 503: replay the postback when the endpoint works again',
  next: [{ step: 'replay_delivery', partnerId: 'ptn_1', environment: 'test', deliveryId: 'dlv_1' }],
  sale: {
    ...SALE,
    partnerId: 'ptn_1',
    environment: 'test',
    sharedId: 'order 7',
    attributedBy: 'code',
    paymentStatus: 'captured',
    amount: '99.90',
    currency: 'USD',
    soldAt: '2026-01-05T09:00:00.000Z',
    closedBy: null,
    closedAt: null,
    holdReason: null,
    holdDecision: null,
    unattributedReason: null,
    qualifiedAt: '2026-01-05T09:00:01.000Z',
  },
  partner: { id: 'ptn_1', name: 'One', active: true },
  endpoint: { url: 'https://partner.example.com/sales', status: 'active', pausedUntil: null },
  delivery: {
    id: 'dlv_1',
    status: 'failed',
    nextAttemptAt: null,
    deliveredAt: null,
    error: 'attempts exhausted',
    attempts: [
      { number: 1, at: '2026-01-05T09:00:02.000Z', status: 503, latencyMs: 41, error: 'status', response: 'busy' },
    ],
  },
  deadLetters: [],
  dispatcherFailure: null,
};
const NONE = { corrected: 0, since: null };
const UNKNOWN = {
  ...STORY,
  oid: 'order 7',
  verdict: 'unknown',
  reason: 'no such purchase is stored',
  sale: null,
  next: [{ step: 'read_logs', oid: 'order 7' }, { step: 'list_unattributed_sales' }, { step: 'list_dead_letters' }],
};

const page = (...items: object[]): object => ({ items, nextCursor: null, hasMore: false });
const ANSWERS: Readonly<Record<string, [number, unknown]>> = {
  'GET /admin/partners?limit=2': [
    200,
    { items: [{ id: 'ptn_1', name: 'One', contactEmail: null }], nextCursor: 'next', hasMore: true },
  ],
  'DELETE /admin/tokens/tok_1': [204, undefined],
  'GET /admin/partners': [200, page(PARTNER)],
  'POST /admin/sales/sub_1/release': [200, SALE],
  'GET /admin/sales/export?environment=live': [200, SALE],
  'GET /admin/sales/export/csv?status=held&refId=order-1': [200, SALE],
  'POST /admin/partners/ptn_1/tokens': [201, { id: 'tok_1', token: 'ptk_live_x' }],
  'POST /admin/partners': [201, { id: 'ptn_2', name: 'Two' }],
  'PATCH /admin/partners/ptn_1': [200, { id: 'ptn_1', name: 'One' }],
  'POST /admin/partners/ptn_1/promotions': [
    422,
    { code: 'validation_failed', detail: 'no', errors: [{ field: 'percentOff', message: 'too much' }] },
  ],
  'GET /admin/statistics?partnerId=ptn_1&by=month': [
    200,
    {
      from: '2026-03-01',
      to: '2026-03-31',
      by: 'month',
      timeZone: 'UTC',
      totals: [{ currency: 'USD', sales: 2, amount: '199.80' }],
      items: [{ currency: 'USD', sales: 2, amount: '199.80', start: '2026-03-01' }],
      postbacks: { delivered: 2, failed: 0, firstAttempt: { averageMs: 84, p95Ms: 100 } },
      vouchers: null,
    },
  ],
  'GET /admin/statistics/partners?by=month&limit=2': [
    200,
    {
      from: '2026-03-01',
      to: '2026-03-31',
      timeZone: 'UTC',
      items: [
        {
          rank: 1,
          partnerId: 'ptn_1',
          partnerName: 'One',
          currency: 'USD',
          sales: 3,
          amount: '30.00',
          netAmount: '20.00',
        },
      ],
    },
  ],
  'GET /admin/partners?limit=200': [200, { ...page({ id: 'ptn_1' }), nextCursor: 'more' }],
  'GET /admin/partners?cursor=more&limit=200': [200, page({ id: 'ptn_0' }, { id: 'ptn_2' })],
  'POST /admin/partners/ptn_0/statistics/recount': [503, { code: 'service_unavailable', detail: 'too slow' }],
  'POST /admin/partners/ptn_1/statistics/recount': [200, { corrected: 0, postbacks: NONE, vouchers: NONE }],
  'POST /admin/partners/ptn_2/statistics/recount': [
    200,
    { corrected: 1, postbacks: { corrected: 2, since: null }, vouchers: null },
  ],
  'POST /admin/statistics/recount': [200, { corrected: 1, postbacks: NONE, vouchers: NONE }],
  'POST /admin/sales/decisions': [200, { items: [{ oid: 'sub_1', status: 'failed', code: null, detail: null }] }],
  'GET /admin/sales/sub_1/story': [200, STORY],
  'GET /admin/sales/sub_2/story': [
    200,
    { ...STORY, oid: 'sub_2', verdict: 'delivered', delivery: { ...STORY.delivery, status: 'delivered', error: null } },
  ],
  'GET /admin/sales/order%207/story': [200, UNKNOWN],
  'GET /admin/sales/missing/story': [200, { ...UNKNOWN, oid: 'missing' }],
  'GET /admin/sales?refId=order%207&limit=4': [200, page(SALE, SALE, SALE, SALE)],
  'GET /admin/sales?refId=missing&limit=4': [200, page()],
};
const answerTo = ({ method, url }: SeenRequest): [number, unknown] =>
  ANSWERS[`${method} ${url}`] ?? [404, { code: 'not_found', detail: 'nothing' }];

describe('tandem partner', () => {
  let app: JsonServer;
  let target: string[];
  beforeAll(async () => {
    app = await JsonServer.start();
    app.answerBy(answerTo);
    target = ['--base-url', app.url, '--token', 'manager'];
  });
  afterAll(() => app.stop());

  const run = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Outcome> => runCli(args, env);

  it('prints a list as a table, without empty columns [admin.cli]', async () => {
    const { code, out } = await run(['partner', 'list', '--limit', '2', ...target]);
    expect(code).toBe(0);
    expect(out).toBe('id     name\nptn_1  One\nmore: --cursor next\n');
    expect(app.requests.at(-1)?.headers.authorization).toBe('Bearer manager');
  });

  it('limits tables to the width of the terminal, and prints everything with --json', async () => {
    const { out } = await run(['partner', 'list', ...target], { COLUMNS: '70' });
    expect(out.split('\n').filter((line) => line.length > 70)).toEqual([]);
    expect(out).toMatch(/ptn_1{32}/);
    expect(out).toMatch(/--json/);
    const { out: whole } = await run(['partner', 'list', '--json', ...target], { COLUMNS: '70' });
    expect((JSON.parse(whole) as { items: { name: string }[] }).items[0]?.name.length).toBe(200);
  });

  it('exports the sales of an environment, and prints the lines [admin.sale-export]', async () => {
    const { code, out } = await run(['partner', 'export-sales', '--environment', 'live', ...target]);
    expect([code, out]).toEqual([0, JSON.stringify(SALE)]);
    expect(app.requests.at(-1)?.url).toBe('/admin/sales/export?environment=live');
  });

  it('prints the sales as CSV, with the filters of the list [admin.sale-csv]', async () => {
    const { code, out } = await run(['partner', 'sales-csv', '--status', 'held', '--ref-id', 'order-1', ...target]);
    expect([code, out]).toEqual([0, JSON.stringify(SALE)]);
    expect(app.requests.at(-1)?.url).toBe('/admin/sales/export/csv?status=held&refId=order-1');
  });

  it('prints all fields of a released sale, although the sale has `items` like a page of a list', async () => {
    const { code, out } = await run(['partner', 'release-sale', 'sub_1', ...target]);
    expect(code).toBe(0);
    expect(out).toBe('oid     sub_1\nstatus  qualified\nitems   price 9.00, quantity 2, tier –\n');
  });

  it('issues a token without sending scopes, unless --scopes names them', async () => {
    await run(['partner', 'issue-token', 'ptn_1', ...target]);
    expect(app.requests.at(-1)?.body).toEqual({ environment: 'live' });
    await run(['partner', 'issue-token', 'ptn_1', '--scopes', 'vouchers:read, vouchers:create', ...target]);
    expect(app.requests.at(-1)?.body).toEqual({ environment: 'live', scopes: ['vouchers:read', 'vouchers:create'] });
  });

  it('creates a partner with its endpoint limits', async () => {
    await run(['partner', 'create', '--name', 'Two', '--kind', 'promotion', '--endpoint-concurrency', '5', ...target]);
    expect(app.requests.at(-1)?.body).toEqual({ name: 'Two', kind: 'promotion', endpointLimits: { concurrency: 5 } });
  });

  it('sends only the given fields [admin.cli]', async () => {
    await run(['partner', 'create', '--name', 'Two', '--kind', 'promotion', '--revoke-window-days', '7', ...target]);
    expect(app.requests.at(-1)?.body).toEqual({ name: 'Two', kind: 'promotion', revokeWindowDays: 7 });
    for (const [given, concurrency] of [
      ['5', 5],
      ['default', null],
    ] as const) {
      await run(['partner', 'change', 'ptn_1', '--endpoint-concurrency', given, ...target]);
      expect(`${app.requests.at(-1)?.method} ${app.requests.at(-1)?.url}`).toBe('PATCH /admin/partners/ptn_1');
      expect(app.requests.at(-1)?.body).toEqual({ endpointLimits: { concurrency } });
    }
    expect((await run(['partner', 'revoke-token', 'tok_1', ...target])).out).toMatch(/tok_1 is revoked/);
  });

  it('decides several held sales with a note, and prints the outcome of each [admin.decisions]', async () => {
    const { code, out } = await run([
      'partner',
      'decide-sales',
      'refuse',
      'sub_1',
      '0123',
      '--note',
      'one card',
      ...target,
    ]);
    expect(app.requests.at(-1)?.body).toEqual({ decision: 'refuse', oids: ['sub_1', '0123'], note: 'one card' });
    expect([code, out]).toEqual([0, 'oid    status\nsub_1  failed\n']);
  });

  it('prints the figures of each period, and the total [statistics.figures]', async () => {
    const { code, out } = await run(['partner', 'statistics', 'ptn_1', '--by', 'month', ...target]);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(/ +/))).toEqual([
      ['start', 'currency', 'sales', 'amount'],
      ['2026-03-01', 'USD', '2', '199.80'],
      ['all', 'USD', '2', '199.80'],
      'postbacks 2 delivered, 0 failed, first attempts 84 ms on average, 95 % within 100 ms'.split(' '),
      'vouchers unknown now'.split(' '),
      [''],
    ]);
  });

  it('prints the partners with the highest net amounts [statistics.ranking]', async () => {
    const { code, out } = await run(['partner', 'ranking', '--by', 'month', '--limit', '2', ...target]);
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(/ +/)),
    ).toEqual([
      ['rank', 'partner', 'name', 'currency', 'sales', 'amount', 'net'],
      ['1', 'ptn_1', 'One', 'USD', '3', '30.00', '20.00'],
    ]);
  });

  it('recounts every partner and the total, and exits with 1 if some figures could not be counted [statistics.recount]', async () => {
    const { code, out, err } = await run(['partner', 'recount', ...target]);
    expect(err).toContain('ptn_0  not counted: 503 service_unavailable: too slow');
    expect([code, out]).toEqual([
      1,
      'ptn_1  right\nptn_2  3 rows corrected, vouchers not counted: try again\nall partners together  1 row corrected\ncorrected  4\n',
    ]);
  });

  it('exits with 2 for a missing option and an unknown command, and with 1 for a refusal [admin.cli]', async () => {
    const missing = await run(['partner', 'create', ...target]);
    expect([missing.code, /Missing required arguments: kind, name/.test(missing.err)]).toEqual([2, true]);
    const refused = await run(['partner', 'add-promotion', 'ptn_1', '--code', 'X', '--percent-off', '900', ...target]);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/422 validation_failed: no\n {2}percentOff: too much/);
    expect((await run(['partner', 'fly', ...target])).code).toBe(2);
  });

  it('reports that no stack runs when no address is given', async () => {
    const { code, err } = await run(['partner', 'list'], { TANDEM_DIR: os.tmpdir() });
    expect(code).toBe(1);
    expect(err).toMatch(/no stack runs here: start one with npm start/);
  });

  describe('why', () => {
    it('prints the whole story in order, the reason, and the commands to copy [admin.why]', async () => {
      const { code, out } = await run(['partner', 'why', 'sub_1', ...target]);
      expect(code).toBe(0);
      expect(out).toBe(
        `Sale sub_1
  payment      captured 99.90 USD at 2026-01-05T09:00:00.000Z
  attribution  One (ptn_1), test, by promotion code, reference order 7
  fraud review not held
  sale         qualified, qualified at 2026-01-05T09:00:01.000Z
  delivery     dlv_1 failed: attempts exhausted
    attempt 1  2026-01-05T09:00:02.000Z 503 in 41 ms: status "busy"
  endpoint     https://partner.example.com/sales active
Reason: ${STORY.reason}.
Next:
  npm run partner -- replay-delivery ptn_1 dlv_1 --environment test
`,
      );
    });

    it('prints three of the sales that have the given reference, and the command that lists all of them [admin.why]', async () => {
      const { out } = await run(['partner', 'why', 'order 7', ...target]);
      expect(out.match(/^Sale sub_1$/gm)).toHaveLength(3);
      expect(out).toMatch(/More sales have this reference: npm run partner -- sales --ref-id 'order 7'\n$/);
    });

    it('says that a replay sends a delivered postback again', async () => {
      const { code, out } = await run(['partner', 'why', 'sub_2', ...target]);
      expect(code).toBe(0);
      expect(out).toMatch(/^ {2}npm run partner -- replay-delivery ptn_1 dlv_1 .* {3}# sends it again$/m);
    });

    it('prints what to check for an unknown oid and exits with 1, and reports an unknown partner [admin.why]', async () => {
      const { code, out } = await run(['partner', 'why', 'missing', ...target]);
      expect(code).toBe(1);
      expect(out).toContain('No sale has the oid or the reference missing\nReason: no such purchase');
      expect(out).toContain('  npm run partner -- sales --status unattributed\n  npm run dead-letters -- list\n');
      const partner = await run(['partner', 'why', 'sub_1', '--partner', 'nope', ...target]);
      expect(partner).toMatchObject({ code: 1, err: expect.stringContaining('there is no partner nope') });
    });

    it('prints the stories as JSON', async () => {
      const { out } = await run(['partner', 'why', 'sub_1', '--json', ...target]);
      expect(JSON.parse(out)).toEqual([STORY]);
    });
  });
});
