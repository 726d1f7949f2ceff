import { setTimeout as delay } from 'node:timers/promises';

/**
 * Sends a request with a JSON body, and reads a JSON answer.
 * @param {string} method
 * @param {string} url
 * @param {{ token?: string, body?: unknown, headers?: Record<string, string> }} [request] token: a bearer token
 * @returns {Promise<{ status: number, headers: Headers, body: any }>}
 * @throws an error that names the URL when there is no answer
 */
export async function requestJson(method, url, { token, body, headers = {} } = {}) {
  let response;
  try {
    response = await fetch(url, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  } catch (error) {
    throw new Error(`${method} ${url}: ${error.cause?.code ?? error.cause?.message ?? error.message}`, {
      cause: error,
    });
  }
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

function parse(text) {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Describes a refusal for people: a line with the reason, then a line for each invalid field. */
export function describeRefusal({ status, body }) {
  const fields = (body?.errors ?? body?.fields ?? []).map(({ field, message }) => `${field}: ${message}`);
  const text = body?.detail ?? body?.error ?? body?.title ?? 'no explanation';
  return `${status}${body?.code ? ` ${body.code}` : ''}: ${[text, ...fields].join('\n  ')}`;
}

/** Sends GET requests until the answer is 200. @throws after `timeoutMs`, with the last answer */
export async function untilReady(url, timeoutMs) {
  let last = 'no answer';
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(50)) {
    try {
      const answer = await requestJson('GET', url);
      if (answer.status === 200) return;
      last = `${answer.status} ${JSON.stringify(answer.body)}`;
    } catch (error) {
      last = error.message;
    }
  }
  throw new Error(`${url} does not answer 200: ${last}`);
}
