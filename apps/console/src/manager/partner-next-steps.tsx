import { List, Paper, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { Link } from '../components/link';
import type { components } from '../generated/manager-api';
import { partnersTexts } from '../texts/partners';
import { postbackOf } from './queries';

const t = partnersTexts.nextSteps;
type Partner = components['schemas']['Partner'];

/** How long after the creation of a partner its page shows the missing steps. After that, the partner probably does not need them. */
const NEW_MS = 30 * 24 * 60 * 60 * 1000;

/** The steps that are missing before a new partner can sell. Each step disappears when it is done. */
export function NextSteps({ partner }: { partner: Partner }) {
  const isNew = Date.now() - Date.parse(partner.createdAt) < NEW_MS;
  return partner.active && isNew ? <Steps partner={partner} /> : null;
}

/** Returns the first page of a list of the partner. The tab that shows the list uses the same query, so the page is loaded only once. */
function useFirstPage<T>(list: string, id: string, isWanted: boolean, load: () => Promise<{ items: T[] }>) {
  // In the tabs, the key ends with the cursor, and the cursor of the first page is undefined.
  return useQuery({ queryKey: [list, id, undefined], queryFn: load, enabled: isWanted }).data?.items;
}

function Steps({ partner: { id, kind } }: { partner: Partner }) {
  const params = { path: { id } };
  const sells = kind === 'promotion';
  const promotions = useFirstPage('promotions', id, sells, () =>
    answerOf(managerApi.GET('/admin/partners/{id}/promotions', { params })),
  );
  const groups = useFirstPage('voucher-groups', id, !sells, () =>
    answerOf(managerApi.GET('/admin/partners/{id}/voucher-groups', { params })),
  );
  const tokens = useFirstPage('tokens', id, true, () =>
    answerOf(managerApi.GET('/admin/partners/{id}/tokens', { params })),
  );
  const links = useFirstPage('portal-links', id, true, () =>
    answerOf(managerApi.GET('/admin/partners/{id}/portal-links', { params })),
  );
  const { data: endpoint } = useQuery({
    queryKey: ['postback', id, 'live'],
    queryFn: () => postbackOf(id, 'live'),
    enabled: sells,
  });
  const toTab = (tab: string, text: string) => <Link to={`/partners/${id}?tab=${tab}`}>{text}</Link>;
  // A step whose data is not loaded is not shown.
  const steps: (readonly [isMissing: boolean | undefined, step: ReactNode])[] = [
    [promotions?.every(({ active }) => !active), toTab('promotions', t.promotion)],
    [groups && groups.length === 0, toTab('vouchers', t.vouchers)],
    [
      tokens && links && tokens.length + links.length === 0,
      <>
        {toTab('links', t.links)}, {toTab('tokens', t.tokens)}
      </>,
    ],
    [endpoint === null, toTab('endpoint', t.endpoint)],
  ];
  const missing = steps.flatMap(([isMissing, step]) => (isMissing ? [step] : []));
  if (missing.length === 0) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label={t.title}>
      <Title order={2} mb="xs">
        {t.title}
      </Title>
      <List size="sm" spacing={4}>
        {missing.map((step, index) => (
          <List.Item key={index}>{step}</List.Item>
        ))}
      </List>
    </Paper>
  );
}
