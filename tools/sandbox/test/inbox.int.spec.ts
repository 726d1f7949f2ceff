import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { newWebhookSecret, signWebhook, webhookTimestampHeader } from '@tandem/auth';
import { InboxBook } from '../src/inbox/inbox';
import { openSandbox, type OpenSandbox } from './sandbox';

interface Message {
  receivedAt: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  attempt: number;
  signature: string;
  body: unknown;
  rawBody: string;
}

describe('the inbox', () => {
  let sandbox: OpenSandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));
  afterAll(async () => {
    await sandbox.close();
    sandbox.remove();
  });

  const messages = async (name: string): Promise<Message[]> =>
    ((await sandbox.call('GET', `/inbox/${name}/messages`)).body as { items: Message[] }).items;
  const post = (name: string, rawBody: string, headers: Record<string, string> = {}) =>
    fetch(`${sandbox.url}/inbox/${name}`, { method: 'POST', body: rawBody, headers });

  it('records requests byte for byte, newest first', async () => {
    await post('order', '{ "n" : 1 }', { 'content-type': 'application/json', authorization: 'Bearer key' });
    await post('order', 'not json', { 'content-type': 'text/plain' });

    const [newest, oldest, ...rest] = await messages('order');
    expect(rest).toEqual([]);
    expect(newest).toMatchObject({ body: null, rawBody: 'not json', method: 'POST', path: '/inbox/order' });
    expect(oldest).toMatchObject({ body: { n: 1 }, rawBody: '{ "n" : 1 }', headers: { authorization: 'Bearer key' } });
    expect(Object.keys(oldest ?? {}).sort()).toEqual([
      'attempt',
      'body',
      'headers',
      'method',
      'path',
      'rawBody',
      'receivedAt',
      'signature',
    ]);
    expect(new Date(oldest?.receivedAt ?? '').getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('accepts a request without a body, and records a request to /inbox in the inbox "default"', async () => {
    expect((await fetch(`${sandbox.url}/inbox`, { method: 'POST' })).status).toBe(200);
    expect(await messages('default')).toMatchObject([{ rawBody: '', body: null, path: '/inbox' }]);
  });

  it('keeps the messages of inboxes separate, and clears only the given inbox', async () => {
    await post('kept', '1');
    await post('cleared', '1');
    expect(await sandbox.call('DELETE', '/inbox/cleared/messages')).toMatchObject({
      status: 200,
      body: { cleared: 1 },
    });
    expect(await messages('cleared')).toEqual([]);
    expect(await messages('kept')).toHaveLength(1);
  });

  it('answers as configured for `times` requests, then with 200 again', async () => {
    const told = { status: 503, times: 2, headers: { 'retry-after': '7' } };
    expect(await sandbox.call('PUT', '/inbox/failing/behaviour', told)).toMatchObject({
      status: 200,
      body: { status: 503, delayMs: 0, hang: false, times: 2, headers: { 'retry-after': '7' } },
    });
    const first = await post('failing', '1');
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await post('failing', '2')).status).toBe(503);
    expect((await post('failing', '3')).status).toBe(200);
    expect(await messages('failing')).toHaveLength(3);
  });

  it('answers after `delayMs`, or never with `hang`', async () => {
    await sandbox.call('PUT', '/inbox/slow/behaviour', { delayMs: 150, times: 1 });
    const before = Date.now();
    expect((await post('slow', '1')).status).toBe(200);
    expect(Date.now() - before).toBeGreaterThanOrEqual(145);

    await sandbox.call('PUT', '/inbox/hung/behaviour', { hang: true });
    const hung = fetch(`${sandbox.url}/inbox/hung`, { method: 'POST', signal: AbortSignal.timeout(200) });
    await expect(hung).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await messages('hung')).toHaveLength(1);
  });

  it.each([
    ['a status below 200', { status: 99 }, 'status'],
    ['an unknown field', { staus: 500 }, 'staus'],
    ['a string for a number', { delayMs: '5' }, 'delayMs'],
    ['zero times', { times: 0 }, 'times'],
    ['a header that would break the answer', { headers: { 'x-a': 'b\r\nc' } }, 'headers.x-a'],
  ])('refuses a behavior with %s', async (_name, behaviour, field) => {
    const answer = await sandbox.call('PUT', '/inbox/strict/behaviour', behaviour);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String), fields: [{ field }] } });
  });

  it('streams earlier and new messages to its page', async () => {
    await post('watched', '"before"');
    const stream = await fetch(`${sandbox.url}/inbox/watched/events`);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    const reader = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    const until = async (text: string): Promise<void> => {
      while (!seen.includes(text)) seen += (await reader.read()).value ?? '';
    };
    await until('before');
    await post('watched', '"after"');
    await until('after');
    expect(seen).toMatch(/id: \d+\ndata: \{.*before.*\n\nid: \d+\ndata: \{.*after/);
    await reader.cancel();
  });

  it('shows a page that names the inbox', async () => {
    const response = await fetch(`${sandbox.url}/inbox/watched`);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toContain('data-name="watched"');
  });

  describe('with signing secrets', () => {
    const signed = (secret: string, id: string, timestamp = new Date()) => ({
      'webhook-id': id,
      'webhook-timestamp': webhookTimestampHeader(timestamp),
      'webhook-signature': signWebhook({ secrets: [secret], id, timestamp, body: '{"oid":"1"}' }),
    });
    const learn = (name: string, secret: string, of = sandbox) =>
      of.call('POST', `/inbox/${name}/signing-secrets`, { secret });
    const signatures = async (name: string) => (await messages(name)).map(({ signature }) => signature).reverse();

    it('shows for each message whether its signature is valid, or why not', async () => {
      const [live, test] = [newWebhookSecret(), newWebhookSecret()];
      await post('signed', '{"oid":"1"}', signed(live, 'msg_1'));
      expect(await learn('signed', live)).toMatchObject({ status: 201, body: { known: 1 } });
      expect(await learn('signed', test)).toMatchObject({ status: 201, body: { known: 2 } });
      await post('signed', '{"oid":"1"}', signed(live, 'msg_1'));
      await post('signed', '{"oid":"1"}', signed(test, 'msg_2'));
      await post('signed', '{"oid":"2"}', signed(live, 'msg_3'));
      await post('signed', '{"oid":"1"}', signed(live, 'msg_4', new Date(Date.now() - 400_000)));
      await post('signed', '{"oid":"1"}');
      expect(await signatures('signed')).toEqual([
        'no_secret',
        'good',
        'good',
        'signature_mismatch',
        'timestamp_too_old',
        'missing_header',
      ]);
    });

    it('keeps the secrets after a restart, in a file that only its owner can read, and never shows them', async () => {
      const secret = newWebhookSecret();
      const first = await openSandbox();
      await learn('kept', secret, first);
      await first.close();
      const second = await openSandbox({ dataDir: first.dataDir });
      await fetch(`${second.url}/inbox/kept`, {
        method: 'POST',
        body: '{"oid":"1"}',
        headers: signed(secret, 'msg_1'),
      });
      const { body } = await second.call('GET', '/inbox/kept/messages');
      expect(body).toMatchObject({ items: [{ signature: 'good' }] });
      const page = await (await fetch(`${second.url}/inbox/kept`)).text();
      for (const answer of [JSON.stringify(body), page]) expect(answer).not.toContain(secret);
      const files = readdirSync(first.dataDir).map((name) => path.join(first.dataDir, name));
      const holding = files.filter((file) => readFileSync(file, 'utf8').includes(secret));
      expect(holding.map((file) => statSync(file).mode & 0o077)).toEqual([0]);
      await second.close();
      second.remove();
    });

    it.each(['', 'whsec_', 'whsec_c2hvcnQ=', `whsec_${'A'.repeat(100)}`])('refuses the secret %p', async (secret) => {
      const answer = await learn('strict', secret);
      expect(answer).toMatchObject({ status: 400, body: { fields: [{ field: 'secret' }] } });
    });
  });

  it('answers 404 with JSON to an unknown path', async () => {
    expect(await sandbox.call('GET', '/no/such/path')).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
  });
});

describe('the memory of the inboxes', () => {
  const request = (rawBody: string) => ({
    receivedAt: '',
    method: 'POST',
    path: '/',
    headers: {},
    signature: 'no_secret' as const,
    rawBody,
  });

  it('drops the oldest messages above the maximum number', () => {
    const book = new InboxBook({ messages: 2, bytes: 10_000 });
    for (const text of ['1', '2', '3']) book.record(text === '2' ? 'other' : 'one', request(text));
    expect(book.list('one').map(({ rawBody }) => rawBody)).toEqual(['3']);
    expect(book.list('other').map(({ rawBody }) => rawBody)).toEqual(['2']);
  });

  it('drops the oldest messages above the maximum number of bytes', () => {
    const book = new InboxBook({ messages: 100, bytes: 1_000 });
    for (const text of ['a', 'b', 'c']) book.record('one', request(text.repeat(400)));
    expect(book.list('one').map(({ rawBody }) => rawBody[0])).toEqual(['c', 'b']);
  });
});
