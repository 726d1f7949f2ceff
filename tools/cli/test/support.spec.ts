import { JsonServer, TestServiceKeys } from '@tandem/testing';
import { type Outcome, runCli } from './cli';

const KEYS = new TestServiceKeys('operator');
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

describe('tandem support', () => {
  let app: JsonServer;
  let answer: [number, unknown];
  beforeAll(async () => {
    app = await JsonServer.start();
    app.answerBy(() => answer);
  });
  afterAll(() => app.stop());

  const reachable = (): NodeJS.ProcessEnv => ({
    IDP_SUPPORT_URL: app.url,
    OPERATOR_PRIVATE_KEY: KEYS.privateKeyOf('operator'),
  });
  const run = (args: readonly string[], env = reachable()): Promise<Outcome> => runCli(['support', ...args], env);

  it('lists the actions of one page, and prints how to request the next one', async () => {
    answer = [200, { items: [ENTRY], nextCursor: '7', hasMore: true }];
    const { code, out } = await run(['audit', '--user', KRN, '--actor', 'agent-7', '--limit', '1', '--cursor', '8']);
    expect(code).toBe(0);
    for (const text of [ENTRY.startedAt, 'agent-7', 'user.sync', KRN, 'failed: service_unavailable', 'eventId evt-1']) {
      expect(out).toContain(text);
    }
    expect(out).toMatch(/more: --cursor 7\n$/);
    const { pathname, searchParams } = new URL(app.requests.at(-1)?.url ?? '', app.url);
    expect(pathname).toBe('/internal/audit');
    expect(Object.fromEntries(searchParams)).toEqual({ krn: KRN, actor: 'agent-7', limit: '1', cursor: '8' });
    expect(app.requests.at(-1)?.headers.authorization).toMatch(/^Bearer \S+\.\S+\.\S+$/);
  });

  it('prints the page as JSON, and reports when there are no entries', async () => {
    const page = { items: [], nextCursor: null, hasMore: false };
    answer = [200, page];
    expect(JSON.parse((await run(['audit', '--json'])).out)).toEqual(page);
    expect((await run(['audit'])).out).toBe('no entries\n');
  });

  it('exits with 2 for a value that is refused, and for an address without a key', async () => {
    answer = [400, { error: 'krn: krn must be the KRN of a user' }];
    const refused = await run(['audit', '--user', 'bob']);
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/krn must be the KRN of a user/);
    const partly = await run(['audit'], { IDP_SUPPORT_URL: app.url, OPERATOR_PRIVATE_KEY: '' });
    expect(partly.code).toBe(2);
    expect(partly.err).toMatch(/IDP_SUPPORT_URL needs OPERATOR_PRIVATE_KEY/);
    expect((await run(['list'])).code).toBe(2);
  });

  it('exits with 1 when idp-support fails', async () => {
    answer = [503, { error: 'try again' }];
    const { code, err } = await run(['audit']);
    expect([code, err]).toEqual([1, '503: try again\n']);
  });
});
