import { OPERATOR, variableOf } from '../../apps/apps.js';
import { requestJson } from './http.mjs';
import { packageOf } from './install.mjs';
import { readStack } from './stack-file.mjs';

/** What the caller has to set right. */
export class TargetError extends Error {}

/**
 * An app, as the person on call asks it over its internal HTTP: that of the stack which runs here, or the one at `<APP>_URL` with
 * OPERATOR_PRIVATE_KEY (and DATABASE_URL, a superuser's, where there is one).
 *
 * @param {string} app
 * @returns {{ url: string, databaseUrl: string | null, call: (method: string, path: string, body?: object) => Promise<{ status: number, body: any }> }}
 * @throws TargetError when only a part is set
 */
export function internalApp(app) {
  const { url, key, databaseUrl } = targetOf(app);
  const call = async (method, path, body) => {
    const { issueServiceToken, parseServicePrivateKey } = await packageOf('@tandem/auth');
    const privateKey = parseServicePrivateKey(key);
    const token = await issueServiceToken({ privateKey, from: OPERATOR, audience: app, now: new Date() });
    return requestJson(method, `${url}${path}`, { token, body });
  };
  return { url, databaseUrl, call };
}

function targetOf(app) {
  const name = variableOf(app, 'URL');
  const { [name]: url, OPERATOR_PRIVATE_KEY: key, DATABASE_URL = null } = process.env;
  if (url && key) return { url: url.replace(/\/+$/, ''), key, databaseUrl: DATABASE_URL };
  if (url) throw new TargetError(`${name} needs OPERATOR_PRIVATE_KEY as well`);
  const stack = readStack();
  return {
    url: stack.apps[app].url,
    key: key || stack.operator.privateKey,
    databaseUrl: stack.postgres.url,
  };
}
