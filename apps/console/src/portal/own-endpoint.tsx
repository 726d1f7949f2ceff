import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, partnerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Link } from '../components/link';
import { useRight } from '../session/session';
import { portalTexts } from '../texts/portal';

const t = portalTexts.endpoint;

/** Loads the partner's endpoint. Returns null when none is set up. */
async function loadEndpoint() {
  const call = await partnerApi.GET('/api/v2/partner/postback');
  return call.response.status === 404 ? null : answerOf(Promise.resolve(call));
}

/** The partner's endpoint: null when none is set up. @param enabled false to load nothing */
export const useOwnEndpoint = (enabled = true) =>
  useQuery({ queryKey: ['postback', 'own'], queryFn: loadEndpoint, refetchInterval: LIVE_MS, enabled });

/** Warns that postbacks are held, while the partner has no endpoint or a disabled one. Otherwise it shows nothing. */
export function HeldPostbacksWarning() {
  const mayRead = useRight('postback:read');
  const { data: endpoint } = useOwnEndpoint(mayRead);
  if (!mayRead || endpoint === undefined || endpoint?.status === 'active') return null;
  return (
    <Alert color="orange" variant="light" title={endpoint === null ? t.missingTitle : t.disabledTitle}>
      <Text size="sm">
        {endpoint === null ? t.missing : t.disabledWarning} <Link to="/my/endpoint">{t.toEndpoint}</Link>
      </Text>
    </Alert>
  );
}
