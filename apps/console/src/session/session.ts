import { useSyncExternalStore } from 'react';

/** The scopes of staff members. */
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

/** Kept only in memory: a token is never in storage or a URL. */
let state: State = { session: null, expired: false };
let waiting: ((renewed: boolean) => void)[] = [];
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

/** Starts a session, or continues it with a new token. Requests that waited for it are sent again. */
export function startSession(session: Session): void {
  const resume = waiting;
  waiting = [];
  change({ session, expired: false });
  for (const resolve of resume) resolve(true);
}

/** Ends the session. Requests that waited for a sign-in fail. */
export function endSession(): void {
  const give = waiting;
  waiting = [];
  change({ session: null, expired: false });
  for (const resolve of give) resolve(false);
}

/** Shows the dialog after a refused token. @returns whether the user signed in again */
export function waitForSignIn(): Promise<boolean> {
  change({ expired: true });
  return new Promise((resolve) => waiting.push(resolve));
}

/** Closes the dialog without a sign-in. Waiting requests fail, and the page keeps all input. */
export function giveUpSignIn(): void {
  const give = waiting;
  waiting = [];
  change({ expired: false });
  for (const resolve of give) resolve(false);
}

const snapshot = (): State => state;

export const useSessionState = (): State => useSyncExternalStore(subscribe, snapshot);

/** Returns the session of the current page. @throws Error outside of pages that need one */
export function useSession(): Session {
  const { session } = useSessionState();
  if (!session) throw new Error('this page needs a session');
  return session;
}

/** Returns whether the session has a right. */
export const useRight = (right: string): boolean => useSessionState().session?.rights.has(right) ?? false;
