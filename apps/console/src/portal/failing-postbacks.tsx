import { useQuery } from '@tanstack/react-query';
import { answerOf, partnerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { NotSent } from '../deliveries/not-sent';
import { statusOf } from '../deliveries/statuses';
import { useRight } from '../session/session';
import { portalTexts } from '../texts/portal';

const t = portalTexts.endpoint;
/** How many pending postbacks are checked, the newest ones. The API cannot count those that fail. */
const MOST = 20;

/** Warns that postbacks keep failing, although they will be retried: the figures count only those that have permanently failed. */
export function FailingPostbacksWarning() {
  const mayRead = useRight('postback:read');
  const { data } = useQuery({
    queryKey: ['deliveries', 'own', 'failing'],
    queryFn: () => {
      const filters = { status: 'pending' as const, limit: MOST };
      return answerOf(partnerApi.GET('/api/v2/partner/postback/deliveries', { params: { query: filters } }));
    },
    refetchInterval: LIVE_MS,
    enabled: mayRead,
  });
  const failing = data?.items.filter((delivery) => statusOf(delivery) === 'failing') ?? [];
  if (failing.length === 0) return null;
  const count = `${failing.length}${data?.hasMore ? '+' : ''}`;
  return (
    <NotSent
      title={t.failingTitle(count)}
      text={t.failing}
      step={{ to: '/my/deliveries?status=pending', action: t.showFailing(count) }}
    />
  );
}
