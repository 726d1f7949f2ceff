import { connect, type Socket } from 'node:net';
import { patience } from './patience';

/** The bytes to send on one connection. */
export interface WireRequest {
  /** The parts to send one after the other, with a pause between them. */
  readonly parts: readonly Buffer[];
  /** The pause between two parts, ms; default: 0. */
  readonly pauseMs?: number;
  /**
   * How many answers the client waits for; default: 1. With 0, for example for an incomplete request, the client closes
   * the connection after a short time.
   */
  readonly answers?: number;
  /** Whether the client ends its side of the connection after sending the request. */
  readonly halfClose?: boolean;
}

export interface WireAnswer {
  readonly status: number;
  /** The headers by their names in lower case. The values of a repeated header are joined. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** The outcome of an exchange on a connection. */
export interface WireOutcome {
  readonly answers: readonly WireAnswer[];
  /**
   * How the exchange ended.
   * - `answered`: all expected answers came.
   * - `closed`: the server closed the connection, or the connection failed, before all answers had come.
   * - `left`: the client, which waited for no answer, closed the connection.
   * - `hung`: neither all answers nor the end of the connection came in time.
   */
  readonly end: 'answered' | 'closed' | 'left' | 'hung';
  /** The time from the last byte sent until the end of the exchange, ms. */
  readonly ms: number;
  /** Bytes that could not be read as answers when the server closed the connection; otherwise empty. */
  readonly rest: string;
}

/** How long the client waits before it closes a connection on which it expects no answer. */
const PATIENCE_MS = 300;

/**
 * Sends bytes on a separate connection, and reads the answers.
 * @param limitMs how long one answer may take, ms. If the client waits for several answers, their limits add up
 */
export async function exchange(
  url: string,
  request: WireRequest,
  { isHead = false, limitMs }: { isHead?: boolean; limitMs: number },
): Promise<WireOutcome> {
  const { hostname, port } = new URL(url);
  const { answers: expected = 1, halfClose = false } = request;
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const received: Buffer[] = [];
  let isClosed = false;
  let wake = (): void => undefined;
  const closed = (): void => {
    isClosed = true;
    wake();
  };
  socket.on('data', (chunk) => {
    received.push(chunk);
    wake();
  });
  socket.on('end', closed).on('close', closed).on('error', closed);
  try {
    await send(socket, request, () => isClosed);
    if (halfClose) socket.end();
    const sentAt = Date.now();
    const waiting = patience(expected === 0 ? PATIENCE_MS : limitMs * expected);
    waiting.signal.addEventListener('abort', () => wake());
    try {
      for (;;) {
        const { answers, rest } = parseAnswers(Buffer.concat(received), { isHead, isClosed });
        const ms = Date.now() - sentAt;
        const isAnswered = expected > 0 && answers.length >= expected;
        if (isAnswered || isClosed || waiting.signal.aborted)
          return { answers, rest, ms, end: endOf(isAnswered, isClosed, expected) };
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      waiting.end();
    }
  } finally {
    socket.destroy();
  }
}

function endOf(isAnswered: boolean, isClosed: boolean, expected: number): WireOutcome['end'] {
  if (isAnswered) return 'answered';
  if (isClosed) return 'closed';
  return expected === 0 ? 'left' : 'hung';
}

async function send(socket: Socket, { parts, pauseMs = 0 }: WireRequest, isClosed: () => boolean): Promise<void> {
  for (const [index, part] of parts.entries()) {
    if (index > 0 && pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (isClosed()) return;
    // The end of sending is not awaited, because a server may answer and close the connection before it has read
    // everything.
    socket.write(part);
  }
}

const HEAD_END = '\r\n\r\n';

/** Reads the complete answers from the bytes of a connection. Interim answers (1xx) are skipped. */
export function parseAnswers(
  bytes: Buffer,
  { isHead = false, isClosed = false },
): { answers: WireAnswer[]; rest: string } {
  const answers: WireAnswer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf(HEAD_END, at, 'latin1');
    if (headEnd < 0) break;
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1]);
    if (!status) break;
    const headers = headersOf(lines);
    const bodyAt = headEnd + HEAD_END.length;
    const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
    const body = hasBody ? bodyOf(bytes, bodyAt, headers, isClosed) : { text: '', end: bodyAt };
    if (!body) break;
    at = body.end;
    if (status >= 200) answers.push({ status, headers, text: body.text });
  }
  return { answers, rest: isClosed ? bytes.toString('latin1', at, at + 500) : '' };
}

function headersOf(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value);
  }
  return headers;
}

/** Returns the body that starts at an index, and the index where it ends; null while the body is incomplete. */
function bodyOf(
  bytes: Buffer,
  start: number,
  headers: ReadonlyMap<string, string>,
  isClosed: boolean,
): { text: string; end: number } | null {
  const length = headers.get('content-length');
  if (length !== undefined) {
    const end = start + Number(length);
    return bytes.length < end ? null : { text: bytes.toString('utf8', start, end), end };
  }
  if (headers.get('transfer-encoding') === 'chunked') return chunkedBodyOf(bytes, start);
  return isClosed ? { text: bytes.toString('utf8', start), end: bytes.length } : null;
}

function chunkedBodyOf(bytes: Buffer, start: number): { text: string; end: number } | null {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    if (lineEnd < 0) return null;
    const size = parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0) return { text: Buffer.concat(chunks).toString('utf8'), end: next };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
