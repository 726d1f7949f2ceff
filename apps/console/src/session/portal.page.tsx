import { Center, Loader, Stack, Text, Title } from '@mantine/core';
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

let opened: Promise<void> | undefined;

/** Exchanges the code for a token and starts the session. Does so only once for each link, however often the page is rendered. */
function openPortal(): Promise<void> {
  opened ??= (async () => {
    const { token, expiresAt } = await call<PortalSession>('POST', '/api/v2/partner/portal-session', takeCode());
    const account = await call<Account>('GET', '/api/v2/partner/account', token);
    const { name, environment, integrationKind, scopes } = account;
    remember('partner');
    startSession({ kind: 'partner', name, token, expiresAt, environment, integrationKind, rights: new Set(scopes) });
  })();
  return opened;
}

/** The page that a portal link opens. */
export default function PortalPage() {
  const navigate = useNavigate();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (location.hash.length > 1) opened = undefined;
    openPortal().then(
      () => navigate('/', { replace: true }),
      (reason: unknown) => setError(toApiError(reason)),
    );
  }, [navigate]);
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
  const said = { 401: sessionTexts.linkUsed, 403: sessionTexts.linkInactive }[error.status];
  return (
    <Stack component="main" id="content" maw={560} mx="auto" p="lg" pt="10vh">
      <Title order={1}>{texts.product}</Title>
      {said ? (
        <div role="alert">
          <Empty title={sessionTexts.linkTitle}>{said}</Empty>
        </div>
      ) : (
        <Failure error={error} />
      )}
    </Stack>
  );
}
