import { useQuery } from '@tanstack/react-query';
import { answerOf, partnerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { NotSent } from '../deliveries/not-sent';
import { filtersOf } from '../deliveries/statuses';
import { useRight } from '../session/session';
import { portalTexts } from '../texts/portal';

const t = portalTexts.endpoint;
/** Failing postbacks are counted up to this number. */
const MOST = 20;

/** Warns of postbacks that are failing and will be retried, because the figures count only the postbacks that have permanently failed. */
export function FailingPostbacksWarning() {
  const mayRead = useRight('postback:read');
  const { data } = useQuery({
    queryKey: ['deliveries', 'own', 'failing'],
    queryFn: () => {
      const filters = { ...filtersOf('failing'), limit: MOST };
      return answerOf(partnerApi.GET('/api/v2/partner/postback/deliveries', { params: { query: filters } }));
    },
    refetchInterval: LIVE_MS,
    enabled: mayRead,
  });
  if (!data || data.items.length === 0) return null;
  const count = `${data.items.length}${data.hasMore ? '+' : ''}`;
  return (
    <NotSent
      title={t.failingTitle(count)}
      text={t.failing}
      step={{ to: '/my/deliveries?status=failing', action: t.showFailing(count) }}
    />
  );
}
