import { InMemoryWebStorage, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { loadConfig } from '../config';
import { currentSession, endSession, startSession } from './session';

/** Records who was signed in in this tab, so that a reload goes to the provider immediately, or asks for a new portal link. It is not a token. */
const HINT = 'tandem-signed-in';
type Hint = 'staff' | 'partner';

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
      // Tokens are lost with the page. Only `state` and the verifier survive the redirect to the provider and back.
      userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
      stateStore: new WebStorageStateStore({ store: sessionStorage }),
    });
  });
  managing.catch(() => {
    managing = undefined;
  });
  return managing;
}

/** Redirects to the provider, and returns to `returnTo`, a path of the console. */
export async function signIn(returnTo: string): Promise<void> {
  await (await manager()).signinRedirect({ state: returnTo });
}

/** Signs in again in a separate window, so that the page and all input stay. @throws when the window is closed */
export async function signInAgain(): Promise<void> {
  accept(await (await manager()).signinPopup({ popupWindowFeatures: { width: 520, height: 640 } }));
}

let finishing: Promise<string> | undefined;

/** Processes the provider's answer on the page that it returns to. @returns the path to continue with */
export function finishSignIn(): Promise<string> {
  finishing ??= (async () => {
    const oidc = await manager();
    if (window.opener) {
      await oidc.signinPopupCallback();
      return '';
    }
    const user = await oidc.signinRedirectCallback();
    accept(user);
    return typeof user.state === 'string' ? user.state : '/';
  })();
  return finishing;
}

/** Renews the tokens with the refresh token, if the provider issued one. @returns whether that succeeded */
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

/** Returns who was signed in in this tab before; null after staff has signed out. */
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

/** Returns the rights of a user. They only control the menu, because the APIs check them. A provider may omit `scope` from its answer. */
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
