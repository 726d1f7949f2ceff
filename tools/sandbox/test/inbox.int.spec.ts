import { InboxBook } from '../src/inbox/inbox';
import { openSandbox, type OpenSandbox } from './sandbox';

interface Message {
  receivedAt: string;
  method: string;
  path: string;
  headers: Record<string, string>;
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

  it('records what was sent, byte for byte, newest first', async () => {
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
    ]);
    expect(new Date(oldest?.receivedAt ?? '').getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('takes a request without a body, and one at /inbox as the inbox "default"', async () => {
    expect((await fetch(`${sandbox.url}/inbox`, { method: 'POST' })).status).toBe(200);
    expect(await messages('default')).toMatchObject([{ rawBody: '', body: null, path: '/inbox' }]);
  });

  it('keeps inboxes apart, and clears one of them', async () => {
    await post('kept', '1');
    await post('cleared', '1');
    expect(await sandbox.call('DELETE', '/inbox/cleared/messages')).toMatchObject({
      status: 200,
      body: { cleared: 1 },
    });
    expect(await messages('cleared')).toEqual([]);
    expect(await messages('kept')).toHaveLength(1);
  });

  it('answers as it was told for `times` requests, then is healthy again', async () => {
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

  it('answers late, or never', async () => {
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
    ['a status that is none', { status: 99 }, 'status'],
    ['an unknown field', { staus: 500 }, 'staus'],
    ['a text for a number', { delayMs: '5' }, 'delayMs'],
    ['zero times', { times: 0 }, 'times'],
    ['a header that would break the answer', { headers: { 'x-a': 'b\r\nc' } }, 'headers.x-a'],
  ])('refuses a behaviour with %s', async (_name, behaviour, field) => {
    const answer = await sandbox.call('PUT', '/inbox/strict/behaviour', behaviour);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.any(String), fields: [{ field }] } });
  });

  it('streams to its page what was there and what arrives', async () => {
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

  it('answers JSON to an unknown path', async () => {
    expect(await sandbox.call('GET', '/no/such/path')).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
  });
});

describe('the memory of the inboxes', () => {
  const request = (rawBody: string) => ({ receivedAt: '', method: 'POST', path: '/', headers: {}, rawBody });

  it('forgets the oldest messages beyond the number that is kept', () => {
    const book = new InboxBook({ messages: 2, bytes: 10_000 });
    for (const text of ['1', '2', '3']) book.record(text === '2' ? 'other' : 'one', request(text));
    expect(book.list('one').map(({ rawBody }) => rawBody)).toEqual(['3']);
    expect(book.list('other').map(({ rawBody }) => rawBody)).toEqual(['2']);
  });

  it('forgets the oldest messages beyond the bytes that are kept', () => {
    const book = new InboxBook({ messages: 100, bytes: 1_000 });
    for (const text of ['a', 'b', 'c']) book.record('one', request(text.repeat(400)));
    expect(book.list('one').map(({ rawBody }) => rawBody[0])).toEqual(['c', 'b']);
  });
});
