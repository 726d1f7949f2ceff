import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { UserStory } from '@tandem/internal-api';
import { eventually, uniqueId, TestServiceKeys } from '@tandem/testing';
import { Gateway, purchase, type TestPartner } from './gateway';

const ROOT = path.join(__dirname, '../../..');
const PAGE = readFileSync(path.join(ROOT, 'docs/on-call.md'), 'utf8');
/** The commands of docs/on-call.md: its indented lines that begin with `npm` or `curl`. */
const COMMANDS = [...PAGE.matchAll(/^ {4}((?:npm|curl) .*)$/gm)]
  .map(([, command]) => command as string)
  // `npm run discovery` is left out, because it uses discovery's own database.
  .filter((command) => !command.startsWith('npm run discovery'));
const ID = '01910000-0000-7000-8000-00000000000a';
const REQUEST = uniqueId('request');
const EVENT = uniqueId('event');

const KRN = 'krn:tandem:dev:user:on-call';

/** In the story of a user without any data, this is the answer to each question. apps/idp-api/test/user-story.int.spec.ts tests other answers. */
const ANSWER = { verdict: 'no_profile', reason: 'there is no profile', next: [] };
const STORY: UserStory = {
  locked: ANSWER,
  enrolled: ANSWER,
  alerts: ANSWER,
  user: {
    krn: KRN,
    arrayUserId: ID,
    profile: null,
    verification: {
      authenticated: false,
      attempts: 0,
      remainingAttempts: 3,
      lastAttemptAt: null,
      lock: null,
      lockedUntil: null,
    },
    entitlements: [],
    subscriptions: [],
    enrollments: [],
    reconciliation: null,
    pushedAlerts: 0,
    pushedAlertsOfUnknownBureau: 0,
    mock: { alerts: false, scans: false },
  },
  vendor: { isKnown: false, enrolledCodes: [], hasAlerts: false, failures: [] },
  deadLetters: [],
};

const run = promisify(execFile);

const WEBHOOK = {
  id: ID,
  integration: 'array',
  type: 'alerts/push/push',
  receivedAt: '2026-01-01T00:00:00.000Z',
  occurredAt: null,
  outcome: 'accepted',
  oid: null,
  user: ID,
  webhookId: null,
  path: '/idp/array/webhook',
  replayedAt: null,
};

/** Returns the answer that webhook-ingest gives to a command which reads or replays webhooks; null for any other request. */
function answerOfRecords(url: string, method: string): object | null {
  const page = (items: readonly object[]): object => ({ items, nextCursor: null, hasMore: false });
  if (url.startsWith('/internal/webhooks/content')) return { ...WEBHOOK, events: [], body: {} };
  if (method === 'POST' && url === '/internal/webhooks/replay')
    return { items: [{ id: ID, outcome: 'published', events: [] }] };
  return url.startsWith('/internal/webhooks') ? page([WEBHOOK]) : null;
}

/** Returns the status and body with which idp-support answers a command about users or the audit trail. */
function supportAnswer(url: string): [number, unknown] {
  if (/\/audit(\?|$)/.test(url)) return [200, { items: [], nextCursor: null, hasMore: false }];
  if (url.endsWith('/story')) return [200, STORY];
  return url.endsWith('/enrollment-sync') ? [202, { accepted: true, eventId: ID }] : [204, undefined];
}

/**
 * Runs the commands of docs/on-call.md, except `npm run discovery`, with the real programs. The real admin API with its database answers
 * them, together with one stand-in for all other apps.
 */
describe('docs/on-call.md', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  let home: string;
  let oid: string;
  let env: NodeJS.ProcessEnv;
  let token: string;

  const sell = async (customer = {}): Promise<string> => {
    const sold = uniqueId('sub');
    const attribution = { promotionCode: partner.promotionCode, data4: 'order-7' };
    await gateway.receive(purchase(sold, { attribution, customer }));
    return sold;
  };

  const addDeadLetter = async (): Promise<string> => {
    const [letter] = await gateway.database.query<{ id: string }>(
      `insert into partner.dead_letter (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts)
       values ('partner-gateway', gen_random_uuid(), 'payment.received', 0, '1', $1, '{}', '', 'amount is missing', 1) returning id`,
      [oid],
    );
    return letter?.id ?? '';
  };

  beforeAll(async () => {
    gateway = await Gateway.start();
    // The commands run built code, so the code is built first. The build does nothing when its output is up to date.
    await run(process.execPath, ['tools/stack/build.mjs', 'tools/cli/tsconfig.app.json'], { cwd: ROOT });
    partner = await gateway.createPartner();
    token = (await gateway.manage('GET', `/admin/partners/${partner.id}/tokens`)).body.items[0].id as string;
    gateway.dispatcher.answerBy(({ url, method, body }) => {
      if (url === '/metrics')
        return [200, 'postback_endpoints_disabled 1 vendor_request_duration_seconds 1 discovery_catalog 1'];
      const record = answerOfRecords(url, method);
      if (record) return [200, record];
      if (url.startsWith('/idp/support/')) return supportAnswer(url);
      if (url.startsWith('/internal/dead-letters')) return [200, { items: [] }];
      if (url.includes('endpoint-limits')) return [200, { ...(body as object), revision: 1 }];
      if (method === 'POST' && url.includes('/replay')) return [202, { id: ID }];
      if (url.includes('/deliveries')) return [200, { items: [], nextCursor: null, hasMore: false }];
      return [200, { url: 'https://partner.example.com/sales', status: 'active', pausedUntil: null }];
    });
    oid = await sell();
    home = mkdtempSync(path.join(tmpdir(), 'on-call-'));
    mkdirSync(path.join(home, 'logs'));
    const line = { msg: 'sale changed', oid, krn: KRN, requestId: REQUEST, eventId: EVENT };
    writeFileSync(path.join(home, 'logs/partner-gateway.log'), `${JSON.stringify(line)}\n`);
    env = {
      ...process.env,
      TANDEM_DIR: home,
      WEBHOOK_INGEST_URL: gateway.dispatcher.url,
      OPERATOR_PRIVATE_KEY: new TestServiceKeys('operator').privateKeyOf('operator'),
      TANDEM_BASE_URL: gateway.running.url,
      TANDEM_MANAGER_TOKEN: await gateway.managerToken(),
      TANDEM_SUPPORT_TOKEN: 'support',
      DATABASE_URL: gateway.database.superuserUrl,
    };
  }, 120_000);
  afterAll(async () => {
    rmSync(home, { recursive: true, force: true });
    await gateway.stop();
  });

  /** Creates, on the Postgres bus, a consumer group to which no process belongs. @returns the name of the group */
  const goneGroup = async (): Promise<string> => {
    await gateway.database.query(
      `insert into bus.group_cursor (group_name, topic, "partition") select 'gone', topic, 0 from bus.topic_partition limit 1
       on conflict do nothing`,
    );
    return 'gone';
  };

  /** The value for each placeholder in the commands. */
  const VALUES: Record<string, () => string | Promise<string>> = {
    oid: () => oid,
    'held oid': () => sell({ emailMasked: 'a***z@yopmail.com' }),
    ref_id: () => 'order-7',
    partner: () => partner.id,
    delivery: () => ID,
    token: () => token,
    'dead letter': addDeadLetter,
    request: () => REQUEST,
    event: () => EVENT,
    krn: () => KRN,
    'KRN or arrayUserId': () => KRN,
    'sub of the token': () => KRN,
    eventId: () => EVENT,
    group: goneGroup,
    webhook: () => ID,
    type: () => 'alerts/push/push',
    time: () => '2026-01-01T00:00:00Z',
    why: () => 'a consumer was down',
    discovery: () => gateway.dispatcher.url,
    'idp-api': () => gateway.dispatcher.url,
    'partner-gateway': () => gateway.running.url,
    'postback-dispatcher': () => gateway.dispatcher.url,
  };

  const filled = async (command: string): Promise<string> => {
    let text = command;
    for (const [placeholder, name] of command.matchAll(/<([^>]+)>/g)) {
      const value = VALUES[name as string];
      if (!value) throw new Error(`the test has no value for ${placeholder}`);
      text = text.replace(placeholder, await value());
    }
    return text;
  };

  it.each(COMMANDS)('contains only commands that run and print something: %s', async (command) => {
    await eventually(async () => {
      const { stdout } = await run('sh', ['-c', (await filled(command)).replace('npm run ', 'npm run --silent ')], {
        cwd: ROOT,
        env: /^npm run (user|support)\b/.test(command) ? { ...env, TANDEM_BASE_URL: gateway.dispatcher.url } : env,
      });
      expect(stdout).not.toBe('');
    });
  });

  it('answers sixteen questions, and names only existing metrics of events, postbacks and the vendor', () => {
    expect(PAGE.match(/^## (?:Why has a postback not arrived|\d+\.)/gm)).toHaveLength(16);
    const sources = [
      'libs/messaging/src/metrics.ts',
      'apps/postback-dispatcher/src/delivery/backlog.service.ts',
      'apps/idp-api/src/array/vendor.metrics.ts',
    ];
    const text = sources.map((file) => readFileSync(path.join(ROOT, file), 'utf8')).join('');
    for (const [name] of PAGE.matchAll(/(?:events|postback|vendor_request)_[a-z_]+/g)) expect(text).toContain(name);
  });
});
