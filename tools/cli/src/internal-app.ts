import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { OPERATOR, variableOf } from './apps';
import { describeRefusal, RefusedError } from './public-api';
import { fetchOrExplain } from './requests';
import { readStack } from '@tandem/stack-client';
import { UsageError } from './usage.errors';

/** The internal HTTP API of an app. */
export interface InternalApp {
  readonly url: string;
  /** @throws Error with the reason of a refusal; UsageError when the app refuses the arguments */
  call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
}

/**
 * Returns the app of the stack that runs here or, with `<APP>_URL` and OPERATOR_PRIVATE_KEY set, the app at that URL.
 * @throws UsageError when only the URL is set; Error when no URL is set and no stack with this app runs here
 */
export function internalApp(name: string): InternalApp {
  const { url, key } = targetOf(name);
  return {
    url,
    call: async <T>(method: 'GET' | 'POST', path: string, body?: object) => {
      const privateKey = parseServicePrivateKey(key);
      const token = await issueServiceToken({ privateKey, from: OPERATOR, audience: name, now: new Date() });
      const request = new Request(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const response = await fetchOrExplain(request, { app: name });
      const answer: unknown = await response.json().catch(() => null);
      if (response.status === 400) throw new UsageError(describeRefusal(400, answer));
      if (!response.ok) throw new RefusedError(response.status, answer);
      return answer as T;
    },
  };
}

function targetOf(app: string): { url: string; key: string } {
  const name = variableOf(app, 'URL');
  const { [name]: url, OPERATOR_PRIVATE_KEY: key } = process.env;
  if (url && key) return { url: url.replace(/\/+$/, ''), key };
  if (url) throw new UsageError(`${name} needs OPERATOR_PRIVATE_KEY as well`);
  const stack = readStack();
  const known = stack.apps[app];
  if (!known) throw new Error(`the stack that runs here has no ${app}`);
  return { url: known.url, key: key || stack.operator.privateKey };
}
