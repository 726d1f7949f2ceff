import type { LoggerService } from '@nestjs/common';
import { currentTraceparent } from '@tandem/tracing';
import { eventually } from '@tandem/testing';
import { Client } from 'pg';
import { InboundWebhookStore } from '../src/inbound-webhook/inbound-webhook-store';
import { purchase, signedHeaders, webhook } from './billing-provider';
import { alertPush, authentication } from './identity-vendor';
import { type Answer, ARRAY_PATH, arraySecret, IngestApp, PAYMENT_PATH } from './ingest-app';

let ingest: IngestApp;
const lines: Record<string, unknown>[] = [];
/** Keeps each log line, with the id of the trace in which it was written. */
const keep = (line: unknown): void =>
  void lines.push({ ...(line as object), trace: currentTraceparent()?.split('-')[1] });
const logger: LoggerService = { log: keep, warn: keep, error: keep };

beforeAll(async () => {
  ingest = await IngestApp.start();
  ingest.running.nest.useLogger(logger);
});
beforeEach(() => void lines.splice(0));
afterAll(() => ingest.stop());

/**
 * Sends the given webhooks so that all of them are pending at the same time and form one group. To this end, the table is locked, and two
 * other webhooks are sent first: their groups wait for the lock, and the given webhooks wait for these groups.
 *
 * @returns the answers, and the number of transactions that stored the given webhooks
 */
async function sendTogether(
  bodies: object[],
  headers: Record<string, string>[] = [],
  path = PAYMENT_PATH,
): Promise<{ answers: Answer[]; commits: number }> {
  const before = await transactionCount();
  const store = jest.spyOn(ingest.running.nest.get(InboundWebhookStore), 'store');
  const { early, late } = await whileTableIsLocked(async () => {
    const early: Promise<Answer>[] = [];
    while (early.length < 2) {
      early.push(ingest.send(purchase()));
      await eventually(async () => expect(await waitingForLocks()).toBe(early.length));
    }
    const late = bodies.map((body, index) => ingest.send(body, path, headers[index]));
    await eventually(() => expect(store).toHaveBeenCalledTimes(early.length + late.length));
    return { early, late };
  });
  await Promise.all(early);
  const answers = await Promise.all(late);
  store.mockRestore();
  return { answers, commits: (await transactionCount()) - before - early.length };
}

const traceOf = (traceId: string): Record<string, string> => ({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` });

async function whileTableIsLocked<T>(work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: ingest.database.superuserUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('lock table ingest.inbound_webhook in exclusive mode');
    return await work();
  } finally {
    await client.end();
  }
}

/** Counts the groups that wait for the lock. The periodic deletion of old webhooks may also wait for a lock, but is not counted. */
async function waitingForLocks(): Promise<number> {
  const rows = await ingest.database.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
       and query not like '%skip locked%'`,
  );
  return rows.length;
}

/** Counts the transactions that have stored webhooks so far. */
async function transactionCount(): Promise<number> {
  const [row] = await ingest.database.query<{ count: number }>(
    'select count(distinct xmin::text)::int as count from ingest.inbound_webhook',
  );
  return row?.count ?? 0;
}

describe('webhooks that are pending at the same time', () => {
  it('share one transaction, but have their own outcomes', async () => {
    const stored = purchase();
    await ingest.send(stored);
    lines.splice(0);
    const bodies = Array.from({ length: 20 }, () => purchase());
    const twice = purchase();
    const other = webhook('invoice.created', {});
    const all = [stored, twice, ...bodies, other, twice];
    const { answers, commits } = await sendTogether(all);
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(commits).toBe(1);
    const outcomes = (id: string): unknown[] =>
      lines.filter((line) => line['webhook'] === id).map((line) => line['outcome']);
    expect(outcomes(stored.id)).toEqual(['duplicate']);
    expect(outcomes(other.id)).toEqual(['ignored']);
    expect(outcomes(twice.id).sort()).toEqual(['accepted', 'duplicate']);
    for (const { id } of bodies) expect(outcomes(id)).toEqual(['accepted']);
    for (const { id } of [...bodies, twice]) expect(await ingest.events(id)).toHaveLength(1);
    expect(await ingest.events(other.id)).toEqual([]);
  });

  it('publish only the event of the stored body if they have the same id', async () => {
    const first = purchase({ data: { amount: '1.00' } });
    const second = { ...purchase({ data: { amount: '2.00' } }), id: first.id };
    await sendTogether([first, second]);
    const [event] = await ingest.events(first.id);
    const [row] = await ingest.stored(first.id);
    expect(JSON.parse(String(row?.['body'])).data.amount).toBe(event?.data.purchase?.amount);
  });

  it('are stored in separate transactions if they report different content about one subject', async () => {
    const clientKey = 'in-order';
    const other = alertPush();
    const outcomes = ['401', '401', '200', '401'];
    const bodies = [other, ...outcomes.map((outcome) => authentication(outcome, clientKey)), other];
    const { answers, commits } = await sendTogether(bodies, [], ARRAY_PATH);
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    expect(commits).toBe(3);
    const types = (await ingest.identityEvents(clientKey)).map(({ type }) => type);
    expect(types.sort()).toEqual(['identity_refused', 'identity_refused', 'identity_verified']);
    expect(await ingest.identityEvents(other.details.clientKey)).toHaveLength(1);
  });

  it('publish one event if a late retry and a new delivery report the same content [webhooks.array-sequence]', async () => {
    const clientKey = 'late-retry';
    const bodyOf = (outcome: string) => authentication(outcome, clientKey);
    const headersOf = (outcome: string, id: string) =>
      signedHeaders(JSON.stringify(bodyOf(outcome)), [arraySecret], { id });
    await ingest.send(bodyOf('401'), ARRAY_PATH, headersOf('401', 'msg_a'));
    await ingest.send(bodyOf('200'), ARRAY_PATH, headersOf('200', 'msg_b'));
    const headers = [headersOf('401', 'msg_a'), headersOf('401', 'msg_c')];
    const { answers } = await sendTogether([bodyOf('401'), bodyOf('401')], headers, ARRAY_PATH);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const types = (await ingest.identityEvents(clientKey)).map(({ type }) => type);
    expect(types).toEqual(['identity_refused', 'identity_verified', 'identity_refused']);
  });

  it('each have the trace of their own request in their event and log line', async () => {
    const traced = Array.from({ length: 10 }, (_, index) => ({
      body: purchase(),
      traceId: `${index}`.repeat(31) + 'f',
    }));
    await sendTogether(
      traced.map(({ body }) => body),
      traced.map(({ traceId }) => traceOf(traceId)),
    );
    for (const { body, traceId } of traced) {
      expect(lines.filter((line) => line['webhook'] === body.id)).toEqual([
        expect.objectContaining({ outcome: 'accepted', trace: traceId }),
      ]);
      expect(await ingest.traces(body.id)).toEqual([traceId]);
    }
  });

  it('are all stored except one that the database refuses', async () => {
    await ingest.database.query(`alter table ingest.inbound_webhook add constraint refused check (type <> 'refused')`);
    const bodies = Array.from({ length: 10 }, () => purchase());
    const refused = webhook('refused', {});
    const { answers } = await sendTogether([...bodies.slice(0, 5), refused, ...bodies.slice(5)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 500, 200, 200, 200, 200, 200]);
    for (const { id } of bodies) expect(await ingest.events(id)).toHaveLength(1);
    expect(await ingest.stored(refused.id)).toEqual([]);
    await ingest.database.query('alter table ingest.inbound_webhook drop constraint refused');
  });

  it('cause no deadlock when two replicas receive the same webhooks in opposite orders', () =>
    ingest.withReplica({}, async (replica) => {
      const bodies = Array.from({ length: 50 }, () => purchase());
      const answers = await Promise.all([
        ...bodies.map((body) => ingest.send(body)),
        ...[...bodies].reverse().map((body) => replica.send(body)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      for (const { id } of bodies) expect(await ingest.events(id)).toHaveLength(1);
    }));
});
