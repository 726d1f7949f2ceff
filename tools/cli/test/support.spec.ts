import { JsonServer } from '@tandem/testing';
import { type Outcome, runCli } from './cli';

const KRN = 'krn:tandem:test:user:alice';
const FROM = '2026-01-05T00:00:00Z';
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

describe('tandem support', () => {
  let app: JsonServer;
  let answer: [number, unknown];
  beforeAll(async () => {
    app = await JsonServer.start();
    app.answerBy(() => answer);
  });
  afterAll(() => app.stop());

  const reachable = (): NodeJS.ProcessEnv => ({
    TANDEM_BASE_URL: app.url,
    TANDEM_SUPPORT_TOKEN: 'a-token',
  });
  const run = (args: readonly string[], env = reachable()): Promise<Outcome> => runCli(['support', ...args], env);

  it('lists the actions of one page, and prints how to request the next page', async () => {
    answer = [200, { items: [ENTRY], nextCursor: '7', hasMore: true }];
    const { code, out } = await run(['audit', '--actor', 'agent-7', '--from', FROM, '--limit', '1', '--cursor', '8']);
    expect(code).toBe(0);
    for (const text of [ENTRY.startedAt, 'agent-7', 'user.sync', KRN, 'failed: service_unavailable', 'eventId evt-1']) {
      expect(out).toContain(text);
    }
    expect(out).toMatch(/more: --cursor 7\n$/);
    const { pathname, searchParams } = new URL(app.requests.at(-1)?.url ?? '', app.url);
    expect(pathname).toBe('/idp/support/audit');
    expect(Object.fromEntries(searchParams)).toEqual({ actor: 'agent-7', from: FROM, limit: '1', cursor: '8' });
    expect(app.requests.at(-1)?.headers.authorization).toBe('Bearer a-token');
  });

  it('lists the actions on a user, and refuses --actor with --user', async () => {
    answer = [
      200,
      { items: [{ ...ENTRY, action: 'user.search', krn: null }, ENTRY], nextCursor: null, hasMore: false },
    ];
    const { code, out } = await run(['audit', '--user', KRN, '--limit', '5']);
    expect([code, app.requests.at(-1)?.url]).toEqual([
      0,
      `/idp/support/users/${encodeURIComponent(KRN)}/audit?limit=5`,
    ]);
    expect(out).toContain('user.search');
    expect((await run(['audit', '--user', KRN, '--actor', 'agent-7'])).code).toBe(2);
  });

  it('leaves out entries about reads when --no-reads is given', async () => {
    answer = [200, { items: [ENTRY], nextCursor: null, hasMore: false }];
    for (const whose of [[], ['--user', KRN]]) {
      expect((await run(['audit', ...whose, '--no-reads'])).code).toBe(0);
      expect(app.requests.at(-1)?.url).toMatch(/\?reads=false$/);
    }
  });

  it('prints the page as JSON with --json, and otherwise reports when there are no entries', async () => {
    const page = { items: [], nextCursor: null, hasMore: false };
    answer = [200, page];
    expect(JSON.parse((await run(['audit', '--json'])).out)).toEqual(page);
    expect((await run(['audit'])).out).toBe('no entries\n');
  });

  it('reports a refusal by the API, and exits with 2 when an address is given without a token', async () => {
    answer = [400, { error: 'user_id: must be the KRN of a user' }];
    const refused = await run(['audit', '--user', 'bob']);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/must be the KRN of a user/);
    const partly = await run(['audit'], { TANDEM_BASE_URL: app.url, TANDEM_SUPPORT_TOKEN: undefined });
    expect(partly.code).toBe(2);
    expect(partly.err).toMatch(/belong together/);
    expect((await run(['list'])).code).toBe(2);
  });

  it('exits with 1 when idp-support fails, and names the section of docs/on-call.md', async () => {
    answer = [503, { error: 'try again' }];
    const { code, err } = await run(['audit']);
    expect([code, err]).toEqual([1, expect.stringMatching(/^503: try again\n[^]*docs\/on-call\.md, section 9/)]);
  });
});
