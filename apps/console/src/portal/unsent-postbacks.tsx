import { useQuery } from '@tanstack/react-query';
import { answerOf, partnerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { NotSent } from '../deliveries/not-sent';
import { isOfClosedSale } from '../deliveries/statuses';
import { useRight } from '../session/session';
import { portalTexts } from '../texts/portal';
import { useOwnEndpoint } from './own-endpoint';

const t = portalTexts.endpoint;
/** Failed and held postbacks are counted up to this number each. */
const MOST = 20;
const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the number of failed or held postbacks of the last 30 days as a text, such as `3` or, if there may be more, `20+`. Postbacks that a
 * refund or chargeback stopped do not count.
 */
async function countOf(status: 'failed' | 'held'): Promise<string> {
  const query = { status, limit: MOST };
  const { items, hasMore } = await answerOf(
    partnerApi.GET('/api/v2/partner/postback/deliveries', { params: { query } }),
  );
  const since = Date.now() - DAYS * DAY_MS;
  const recent = items.filter(({ createdAt }) => Date.parse(createdAt) >= since);
  const count = recent.filter((delivery) => !isOfClosedSale(delivery)).length;
  return `${count}${hasMore && count > 0 && recent.length === items.length ? '+' : ''}`;
}

/**
 * While the endpoint is enabled, warns that postbacks have failed or were held: nothing else says that these postbacks are not sent automatically.
 * While the endpoint is missing or disabled, `HeldPostbacksWarning` says what must be done first.
 */
export function UnsentPostbacksWarning() {
  const mayRead = useRight('postback:read');
  const mayWrite = useRight('postback:write');
  const { data: endpoint } = useOwnEndpoint(mayRead);
  const { data } = useQuery({
    queryKey: ['deliveries', 'own', 'unsent'],
    queryFn: async () => {
      const [failed, held] = await Promise.all([countOf('failed'), countOf('held')]);
      return { failed, held };
    },
    refetchInterval: LIVE_MS,
    enabled: mayRead && endpoint?.status === 'active',
  });
  if (endpoint?.status !== 'active' || !data || (data.failed === '0' && data.held === '0')) return null;
  return (
    <NotSent
      title={t.unsentTitle(data.failed, data.held, DAYS)}
      text={t.unsent}
      step={{
        to: `/my/deliveries?status=${data.held === '0' ? 'failed' : 'held'}`,
        action: mayWrite ? t.sendUnsent : t.showUnsent,
      }}
    />
  );
}
