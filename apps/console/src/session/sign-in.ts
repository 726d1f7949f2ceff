import { InMemoryWebStorage, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { loadConfig } from '../config';
import { currentSession, endSession, startSession } from './session';

/**
 * The key of an entry in `sessionStorage` that records whether staff or a partner last used this tab. After a reload, staff are sent to the provider
 * immediately, and a person at a partner is asked to get a new portal link. The entry contains no token.
 */
const HINT = 'tandem-signed-in';
type Hint = 'staff' | 'partner';

/**
 * The prefix of the keys under which `sessionStorage` keeps the sign-ins that have begun. It is followed by the `state` of the request to the
 * provider.
 */
const STATE_PREFIX = 'oidc.';

let managing: Promise<UserManager> | undefined;

function manager(): Promise<UserManager> {
  managing ??= loadConfig().then(({ issuer, clientId, scope }) => {
    const home = location.origin + import.meta.env.BASE_URL;
    return new UserManager({
      authority: issuer,
      client_id: clientId,
      redirect_uri: `${home}signed-in`,
      post_logout_redirect_uri: home,
      response_type: 'code',
      scope,
      automaticSilentRenew: false,
      // Tokens are kept in memory, so they are lost with the page. Only `state` and the PKCE verifier survive the redirect to the provider and back.
      userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
      stateStore: new WebStorageStateStore({ prefix: STATE_PREFIX, store: sessionStorage }),
    });
  });
  managing.catch(() => {
    managing = undefined;
  });
  return managing;
}

/** Redirects to the provider. @param returnTo the path of the console to return to after the sign-in */
export async function signIn(returnTo: string): Promise<void> {
  await (await manager()).signinRedirect({ state: returnTo });
}

let attempt: AbortController | undefined;

/**
 * Lets the user sign in again in a separate window, so that the page and all input are kept. A new attempt aborts an unfinished previous attempt,
 * and closes the window of that attempt. The console cannot see whether the user has closed the window, because with a provider that sends
 * `Cross-Origin-Opener-Policy`, every window counts as closed.
 *
 * @throws Error when the sign-in fails, for example because the browser blocks the window; not when a new attempt has replaced this one
 */
export async function signInAgain(): Promise<void> {
  attempt?.abort();
  attempt = new AbortController();
  const { signal } = attempt;
  try {
    const oidc = await manager();
    if (signal.aborted) return;
    accept(await oidc.signinPopup({ popupSignal: signal, popupWindowFeatures: { width: 520, height: 640 } }));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

let finishing: Promise<string> | undefined;

/**
 * Processes the provider's answer, on the page to which the provider returns.
 *
 * @returns the path to continue at; empty in the window of {@link signInAgain}
 */
export function finishSignIn(): Promise<string> {
  finishing ??= (async () => {
    const oidc = await manager();
    if (!beganHere()) {
      await oidc.signinPopupCallback();
      // A window that `signInAgain` opened is closed now, or its opener will close it. Any other window, such as a reloaded tab, stays open: the call
      // below then fails, and its error says why.
      if (window.opener || window.closed) return '';
    }
    const user = await oidc.signinRedirectCallback();
    accept(user);
    return typeof user.state === 'string' ? user.state : '/';
  })();
  return finishing;
}

/**
 * Returns whether this window itself has begun the sign-in, and not the window that opened it. `window.opener` does not show this: other pages can
 * open the console too, and a provider that sends `Cross-Origin-Opener-Policy` removes `window.opener`. `sessionStorage` does show it: the window of
 * {@link signInAgain} has only a copy of its opener's storage, which is older than the sign-in.
 */
function beganHere(): boolean {
  const state = new URLSearchParams(location.search).get('state');
  try {
    return state === null || sessionStorage.getItem(STATE_PREFIX + state) !== null;
  } catch {
    return true;
  }
}

/** Renews the tokens with the refresh token, if the provider issued one. @returns whether there are new tokens */
export async function renewSilently(): Promise<boolean> {
  try {
    const oidc = await manager();
    if (!(await oidc.getUser())?.refresh_token) return false;
    const user = await oidc.signinSilent();
    if (user) accept(user);
    return user !== null;
  } catch {
    return false;
  }
}

/** Ends the session here and at the provider. */
export async function signOut(): Promise<void> {
  remember(null);
  endSession();
  await (await manager()).signoutRedirect().catch(() => location.assign(import.meta.env.BASE_URL));
}

/** Returns whether staff or a partner last used this tab; null if nobody did, or if the entry was removed, as when a staff member signs out. */
export function lastSignedIn(): Hint | null {
  try {
    return sessionStorage.getItem(HINT) as Hint | null;
  } catch {
    return null;
  }
}

export function remember(who: Hint | null): void {
  try {
    if (who) sessionStorage.setItem(HINT, who);
    else sessionStorage.removeItem(HINT);
  } catch {
    // Without storage, a reload shows the sign-in page.
  }
}

function accept(user: User): void {
  const before = currentSession();
  const name = user.profile.name ?? user.profile.preferred_username ?? user.profile.sub;
  remember('staff');
  if (before?.kind === 'partner') return;
  const claimed = claimsOf(user.access_token)?.sub;
  const subject = typeof claimed === 'string' ? claimed : user.profile.sub;
  startSession({ kind: 'staff', name, subject, token: user.access_token, rights: rightsOf(user) });
}

/**
 * Returns the rights of a user, which only decide what the console shows: the APIs check the rights themselves. They are read from the access token
 * first, because a provider may omit `scope` from its answer.
 */
function rightsOf({ access_token: token, scopes }: User): Set<string> {
  const claims = claimsOf(token);
  const words = claims?.scope ?? claims?.scp;
  if (typeof words === 'string') return new Set(words.split(' '));
  if (Array.isArray(words)) return new Set(words.map(String));
  return new Set(claims ? [] : scopes);
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  try {
    const [, payload = ''] = token.split('.');
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
