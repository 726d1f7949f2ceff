import createClient from 'openapi-fetch';
import type { paths as ManagerPaths } from '../generated/manager-api';
import type { paths as PartnerPaths } from '../generated/partner-api';
import type { paths as SupportPaths } from '../generated/support-api';
import { currentSession, hasDismissedSignIn, waitForSignIn } from '../session/session';
import { renewSilently } from '../session/sign-in';
import { apiErrorOf } from './problem';

/**
 * Sends a request with the session's token. When the API refuses the token (401), this function renews the session, with the refresh token or by
 * a new sign-in. If there is a new token, the function sends the request once more, so that a submitted form is not lost. It does not renew the
 * session if the user has already closed the sign-in dialog for the same token.
 */
async function authorizedFetch(request: Request): Promise<Response> {
  const send = (): Promise<Response> => {
    const copy = request.clone();
    const session = currentSession();
    if (session) copy.headers.set('authorization', `Bearer ${session.token}`);
    return fetch(copy);
  };
  const response = await send();
  if (response.status !== 401 || currentSession() === null || hasDismissedSignIn()) return response;
  return (await renew()) ? send() : response;
}

let renewal: Promise<boolean> | undefined;

/** Renews the session. When several requests are refused at the same time, they share one renewal. @returns whether the renewal succeeded */
function renew(): Promise<boolean> {
  renewal ??= (async () => {
    if (currentSession()?.kind === 'staff' && (await renewSilently())) return true;
    return waitForSignIn();
  })().finally(() => {
    renewal = undefined;
  });
  return renewal;
}

const options = { baseUrl: location.origin, fetch: authorizedFetch };
export const managerApi = createClient<ManagerPaths>(options);
export const partnerApi = createClient<PartnerPaths>(options);
export const supportApi = createClient<SupportPaths>(options);

/** Returns the body of a successful answer. @throws ApiError when the answer has an error status */
export async function answerOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw apiErrorOf(response, error);
  return data as T;
}

/** Returns the body of an answer; null for 404, because the requested thing does not exist. @throws ApiError for other failures */
export async function answerOrNull<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T | null> {
  const answer = await call;
  return answer.response.status === 404 ? null : answerOf(Promise.resolve(answer));
}

/** Sends a GET, with the session's token, to a path whose answer is not JSON. @throws ApiError */
export async function download(path: string): Promise<Response> {
  const response = await authorizedFetch(new Request(location.origin + path));
  if (!response.ok) throw apiErrorOf(response, await response.json().catch(() => null));
  return response;
}
