import { variableOf } from '../../apps/apps.js';
import { requestJson } from './http.mjs';
import { packageOf } from './install.mjs';
import { readSecrets } from './secrets.mjs';
import { readStack } from './stack-file.mjs';

/** What the caller has to set right. */
export class TargetError extends Error {}

/**
 * An app, as the person on call asks it over its internal HTTP: that of the stack which runs here, or the one at `<APP>_URL` with
 * INTERNAL_TOKEN_SECRETS (and DATABASE_URL, a superuser's, where there is one).
 *
 * @param {string} app
 * @returns {{ url: string, databaseUrl: string | null, call: (method: string, path: string, body?: object) => Promise<{ status: number, body: any }> }}
 * @throws TargetError when only a part is set
 */
export function internalApp(app) {
  const { url, secrets, databaseUrl } = targetOf(app);
  const call = async (method, path, body) => {
    const { issueServiceToken } = await packageOf('@tandem/auth');
    const token = await issueServiceToken({ secrets, from: 'on-call', audience: app, now: new Date() });
    return requestJson(method, `${url}${path}`, { token, body });
  };
  return { url, databaseUrl, call };
}

function targetOf(app) {
  const name = variableOf(app, 'URL');
  const { [name]: url, INTERNAL_TOKEN_SECRETS: secrets, DATABASE_URL = null } = process.env;
  const listOf = (text) => text.split(',').map((secret) => secret.trim());
  if (url && secrets) return { url: url.replace(/\/+$/, ''), secrets: listOf(secrets), databaseUrl: DATABASE_URL };
  if (url) throw new TargetError(`${name} needs INTERNAL_TOKEN_SECRETS beside it`);
  const stack = readStack();
  return {
    url: stack.apps[app].url,
    secrets: secrets ? listOf(secrets) : [readSecrets().internalTokenSecret],
    databaseUrl: stack.postgres.url,
  };
}
