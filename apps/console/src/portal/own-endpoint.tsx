import { useQuery } from '@tanstack/react-query';
import { answerOrNull, partnerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { NotSent } from '../deliveries/not-sent';
import { useRight } from '../session/session';
import { portalTexts } from '../texts/portal';

const t = portalTexts.endpoint;

/** The partner's endpoint: null when none is set up. @param enabled false to load nothing */
export const useOwnEndpoint = (enabled = true) =>
  useQuery({
    queryKey: ['postback', 'own'],
    queryFn: () => answerOrNull(partnerApi.GET('/api/v2/partner/postback')),
    refetchInterval: LIVE_MS,
    enabled,
  });

/** While the partner has no endpoint or a disabled one, warns that postbacks are held. Otherwise, shows nothing. */
export function HeldPostbacksWarning() {
  const mayRead = useRight('postback:read');
  const mayWrite = useRight('postback:write');
  const { data: endpoint } = useOwnEndpoint(mayRead);
  if (!mayRead || endpoint === undefined || endpoint?.status === 'active') return null;
  return (
    <NotSent
      title={endpoint === null ? t.missingTitle : t.disabledTitle}
      text={endpoint === null ? t.missing : t.disabledWarning}
      step={mayWrite ? { to: '/my/endpoint', action: t.toEndpoint } : undefined}
    />
  );
}
