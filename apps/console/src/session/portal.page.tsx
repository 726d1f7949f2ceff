import { Center, Loader, Stack, Text, Title } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { type ApiError, apiErrorOf, toApiError } from '../api/problem';
import { Empty } from '../components/empty';
import { Failure } from '../components/failure';
import type { components } from '../generated/partner-api';
import { texts } from '../texts/common';
import { sessionTexts } from '../texts/session';
import { startSession } from './session';
import { remember } from './sign-in';

type PortalSession = components['schemas']['PortalSession'];
type Account = components['schemas']['Account'];

/** Sends a request with the given token. The clients in `api/clients.ts` cannot be used, because there is no session yet. */
async function call<T>(method: string, path: string, token: string): Promise<T> {
  const response = await fetch(path, { method, headers: { authorization: `Bearer ${token}` } });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw apiErrorOf(response, body);
  return body as T;
}

/** Returns the code of the portal link, and removes it from the page's address, so that no history entry and no screenshot contains the code. */
function takeCode(): string {
  const code = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname);
  return code;
}

let exchange: Promise<PortalSession> | undefined;
/** The code of the portal link that was last opened on this page. */
let code = '';

/**
 * Exchanges the code for a token. Does so only once for each link, however often the page is rendered, because a code works only once. After an error
 * that may be temporary, the next call tries again.
 */
function exchangeCode(): Promise<PortalSession> {
  if (location.hash.length > 1) {
    code = takeCode();
    exchange = undefined;
  }
  exchange ??= call<PortalSession>('POST', '/api/v2/partner/portal-session', code).catch((error: unknown) => {
    if (toApiError(error).isPassing) exchange = undefined;
    throw error;
  });
  return exchange;
}

/** The maximum number of requests for the account, and the pause after the first failure, in ms. Each further pause is twice as long. */
const TRIES = 3;
const PAUSE_MS = 500;

/** Returns the account of a token. Repeats the request if it fails with an error that may be temporary. @throws ApiError */
async function accountOf(token: string, tries = TRIES, pauseMs = PAUSE_MS): Promise<Account> {
  try {
    return await call<Account>('GET', '/api/v2/partner/account', token);
  } catch (error) {
    if (tries === 1 || !toApiError(error).isPassing) throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  return accountOf(token, tries - 1, pauseMs * 2);
}

function start({ token, expiresAt }: PortalSession, account: Account): void {
  const { name, environment, integrationKind, scopes } = account;
  remember('partner');
  startSession({ kind: 'partner', name, token, expiresAt, environment, integrationKind, rights: new Set(scopes) });
}

/** The page that a portal link opens. */
export default function PortalPage() {
  const navigate = useNavigate();
  const [round, setRound] = useState(0);
  const [error, setError] = useState<ApiError>();
  const again = (): void => setRound((times) => times + 1);
  // Opening a link in this tab changes only the hash. The router does not notice when the same link is opened again: it does not see that `takeCode`
  // removes the code, so for the router the hash stays the same. The page therefore listens for `hashchange`.
  useWindowEvent('hashchange', again);
  useEffect(() => {
    let isCurrent = true;
    const open = async (): Promise<void> => {
      const session = await exchangeCode();
      const account = await accountOf(session.token);
      if (!isCurrent) return;
      start(session, account);
      await navigate('/', { replace: true });
    };
    setError(undefined);
    open().catch((reason: unknown) => {
      if (isCurrent) setError(toApiError(reason));
    });
    return () => {
      isCurrent = false;
    };
  }, [navigate, round]);
  useEffect(() => {
    document.title = `${error ? sessionTexts.linkTitle : sessionTexts.opening} · ${texts.product}`;
  }, [error]);
  if (error === undefined) {
    return (
      <Center component="main" id="content" mih="60vh" p="md">
        <Stack align="center" role="status">
          <Loader aria-hidden />
          <Text>{sessionTexts.opening}</Text>
        </Stack>
      </Center>
    );
  }
  const reason = { 401: sessionTexts.linkUsed, 403: sessionTexts.linkInactive }[error.status];
  return (
    <Stack component="main" id="content" maw={560} mx="auto" p="lg" pt="10vh">
      <Title order={1}>{texts.product}</Title>
      {reason ? (
        <div role="alert">
          <Empty title={sessionTexts.linkTitle}>{reason}</Empty>
        </div>
      ) : (
        <Failure error={error} onRetry={error.isPassing ? again : undefined} />
      )}
    </Stack>
  );
}
