import { useSyncExternalStore } from 'react';

/** The scopes that staff members can have. */
export type Right = 'partner:manage' | 'support';

/** A member of staff, signed in at the provider. */
export interface StaffSession {
  readonly kind: 'staff';
  readonly name: string;
  /** The `sub` of the token, by which audit trails name the person. */
  readonly subject: string;
  readonly token: string;
  readonly rights: ReadonlySet<string>;
}

/** A person at a partner who opened a portal link. */
export interface PartnerSession {
  readonly kind: 'partner';
  readonly name: string;
  readonly token: string;
  readonly rights: ReadonlySet<string>;
  readonly environment: 'live' | 'test';
  readonly integrationKind: 'promotion' | 'voucher';
  readonly expiresAt: string;
}

export type Session = StaffSession | PartnerSession;

interface State {
  readonly session: Session | null;
  /** Whether requests are waiting for a new sign-in. */
  readonly expired: boolean;
}

/** The state exists only in memory: a token is never in the browser's storage or in a URL. */
let state: State = { session: null, expired: false };
let waiting: ((renewed: boolean) => void)[] = [];
/** The refused token for which the user closed the dialog without signing in again; undefined if there is none. */
let dismissed: string | undefined;
const listeners = new Set<() => void>();

function change(next: Partial<State>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const currentSession = (): Session | null => state.session;

/** Starts a session, or continues the session with a new token. Requests that were waiting for the sign-in are sent again. */
export function startSession(session: Session): void {
  const resume = waiting;
  waiting = [];
  change({ session, expired: false });
  for (const resolve of resume) resolve(true);
}

/** Ends the session. Requests that are waiting for a sign-in fail. */
export function endSession(): void {
  const abandoned = waiting;
  waiting = [];
  change({ session: null, expired: false });
  for (const resolve of abandoned) resolve(false);
}

/** Shows the dialog that asks the user to sign in again, after a token was refused. @returns whether the user signed in */
export function waitForSignIn(): Promise<boolean> {
  change({ expired: true });
  return new Promise((resolve) => waiting.push(resolve));
}

/**
 * Closes the dialog of `waitForSignIn` without a sign-in. Requests that are waiting fail, and the page keeps all input. Until there is another token or
 * `resumeSignIn` is called, refused requests fail and do not open the dialog again: the next refresh of the page could otherwise open it.
 */
export function dismissSignIn(): void {
  const abandoned = waiting;
  waiting = [];
  dismissed = state.session?.token;
  change({ expired: false });
  for (const resolve of abandoned) resolve(false);
}

/** Returns whether the user has closed the dialog without a sign-in, and the session still has the refused token. */
export const hasDismissedSignIn = (): boolean => dismissed !== undefined && dismissed === state.session?.token;

/** Allows the dialog to open again after `dismissSignIn`. Called when the user starts an action, because the action needs a valid token. */
export function resumeSignIn(): void {
  dismissed = undefined;
}

const snapshot = (): State => state;

export const useSessionState = (): State => useSyncExternalStore(subscribe, snapshot);

/** Returns the current session. @throws Error if there is none, which cannot happen on pages that need a session */
export function useSession(): Session {
  const { session } = useSessionState();
  if (!session) throw new Error('this page needs a session');
  return session;
}

/** Returns whether the session belongs to a partner and was opened with a read-only link: it has no right to change anything. */
export const isReadOnly = (session: Session): boolean =>
  session.kind === 'partner' && [...session.rights].every((right) => right.endsWith(':read'));

/** Returns whether the session has a right. */
export const useRight = (right: string): boolean => useSessionState().session?.rights.has(right) ?? false;
