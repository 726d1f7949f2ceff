import { Group, List, Paper, Text, ThemeIcon, Title } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { answerOf, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Failure } from '../components/failure';
import { Link } from '../components/link';
import { Page } from '../components/page';
import { Figures } from '../figures/figures';
import { managerTexts } from '../texts/manager';
import { loadFigures, postbackOf } from './queries';

const t = managerTexts.overview;
/** How many of the newest partners have their endpoints checked. */
const WATCHED = 25;
const MANY = 100;

const countOf = ({ items, hasMore }: { items: readonly unknown[]; hasMore: boolean }): string =>
  hasMore ? `${items.length}+` : String(items.length);

/** Shows the figures and what needs attention. */
export default function OverviewPage() {
  return (
    <Page title={t.title}>
      <Attention />
      <Figures of={['all', 'live']} load={loadFigures('live')} whenEmpty={t.whenEmpty} />
    </Page>
  );
}

interface Matter {
  readonly text: string;
  readonly to: string;
}

function Attention() {
  const held = useQuery({
    queryKey: ['sales', 'held-count'],
    queryFn: () => answerOf(managerApi.GET('/admin/sales', { params: { query: { status: 'held', limit: MANY } } })),
    refetchInterval: LIVE_MS,
  });
  const partners = useQuery({
    queryKey: ['partners', 'watched'],
    queryFn: () =>
      answerOf(
        managerApi.GET('/admin/partners', { params: { query: { active: 'true', kind: 'promotion', limit: WATCHED } } }),
      ),
  });
  const endpoints = useQueries({
    queries: (partners.data?.items ?? []).map(({ id, name }) => ({
      queryKey: ['postback', id, 'live', 'matters'],
      queryFn: () => mattersOf(id, name),
      refetchInterval: 4 * LIVE_MS,
    })),
  });
  const matters: Matter[] = [
    ...(held.data && held.data.items.length > 0 ? [{ text: t.held(countOf(held.data)), to: '/held' }] : []),
    ...endpoints.flatMap(({ data }) => data ?? []),
  ];
  const error = held.error ?? partners.error ?? endpoints.find((one) => one.error)?.error;
  return (
    <Paper withBorder p="md" component="section" aria-label={t.attention}>
      <Group gap="xs" mb="xs">
        <ThemeIcon color={matters.length > 0 ? 'orange' : 'teal'} variant="light" aria-hidden>
          {matters.length > 0 ? <IconAlertTriangle size={18} /> : <IconCheck size={18} />}
        </ThemeIcon>
        <Title order={2}>{t.attention}</Title>
      </Group>
      {error ? <Failure error={error} onRetry={() => void Promise.all([held.refetch(), partners.refetch()])} /> : null}
      {!error && matters.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.nothing}
        </Text>
      )}
      <List spacing={4} size="sm">
        {matters.map(({ text, to }) => (
          <List.Item key={text}>
            <Link to={to}>{text}</Link>
          </List.Item>
        ))}
      </List>
    </Paper>
  );
}

/** Returns the problems with the live endpoint of a partner. */
async function mattersOf(id: string, name: string): Promise<Matter[]> {
  const endpoint = await postbackOf(id, 'live');
  if (endpoint === null) return [];
  const params = { path: { id }, query: { environment: 'live' as const, status: 'failed' as const, limit: MANY } };
  const failed = await answerOf(managerApi.GET('/admin/partners/{id}/deliveries', { params }));
  const disabled =
    endpoint.status === 'disabled' ? [{ text: t.disabled(name), to: `/partners/${id}?tab=endpoint` }] : [];
  const failing =
    failed.items.length > 0
      ? [{ text: t.failing(name, countOf(failed)), to: `/partners/${id}?tab=deliveries&status=failed` }]
      : [];
  return [...disabled, ...failing];
}
