import { Group, List, Paper, Text, ThemeIcon, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { answerOf, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Failure } from '../components/failure';
import { Link } from '../components/link';
import { Page } from '../components/page';
import { Figures } from '../figures/figures';
import type { components } from '../generated/manager-api';
import { managerTexts } from '../texts/manager';
import { loadFigures } from './queries';
import { Ranking } from './ranking';

const t = managerTexts.overview;
type Attention = components['schemas']['Attention'];
/** The API stops counting at this number. */
const MANY = 100;

const countOf = (count: number): string => (count >= MANY ? `${MANY}+` : String(count));

/** Shows the figures and what needs attention. */
export default function OverviewPage() {
  return (
    <Page title={t.title}>
      <NeedsAttention />
      <Text size="sm" c="dimmed">
        {t.onlyLive}
      </Text>
      <Figures
        of={['all', 'live']}
        load={loadFigures('live')}
        whenEmpty={t.whenEmpty}
        below={(wanted) => <Ranking {...wanted} />}
      />
    </Page>
  );
}

interface Matter {
  readonly text: string;
  /** The path of the screen on which the manager can handle the matter; undefined if an engineer has to handle it. */
  readonly to?: string;
  /** Another screen that belongs to the matter. */
  readonly more?: { readonly text: string; readonly to: string };
}

function NeedsAttention() {
  const query = useQuery({
    queryKey: ['attention'],
    queryFn: () => answerOf(managerApi.GET('/admin/attention')),
    refetchInterval: LIVE_MS,
  });
  const { data, error } = query;
  const matters = data ? mattersOf(data) : [];
  const isPartial =
    data !== undefined &&
    [data.disabledEndpoints, data.failingEndpoints ?? data.pausedEndpoints, data.heldPostbacks].some((part) => !part);
  return (
    <Paper withBorder p="md" component="section" aria-label={t.attention}>
      <Group gap="xs" mb="xs">
        <ThemeIcon color={matters.length > 0 ? 'orange' : 'teal'} variant="light" aria-hidden>
          {matters.length > 0 ? <IconAlertTriangle size={18} /> : <IconCheck size={18} />}
        </ThemeIcon>
        <Title order={2}>{t.attention}</Title>
      </Group>
      {error ? <Failure error={error} onRetry={() => void query.refetch()} /> : null}
      {data && matters.length === 0 && !isPartial && (
        <Text size="sm" c="dimmed">
          {t.nothing}
        </Text>
      )}
      <List spacing={4} size="sm">
        {matters.map(({ text, to, more }) => (
          <List.Item key={text}>
            {to ? <Link to={to}>{text}</Link> : text}
            {more && (
              <>
                {' · '}
                <Link to={more.to}>{more.text}</Link>
              </>
            )}
          </List.Item>
        ))}
      </List>
      {isPartial && (
        <Text size="sm" c="dimmed">
          {t.unknown}
        </Text>
      )}
    </Paper>
  );
}

/** Describes what needs attention. The API returns only the first few endpoints, so another line states how many more there are. */
function mattersOf(attention: Attention): Matter[] {
  const { heldSales, applications, disabledEndpoints, failingEndpoints, deadLetters, postbackDeadLetters } = attention;
  const disabled = disabledEndpoints?.items ?? [];
  const failing = failingEndpoints?.items ?? [];
  // Leaves out the paused endpoints that the list of failing endpoints already has. That list may lack a paused endpoint: after a replay, an endpoint
  // can be paused although none of its deliveries is failing.
  const paused = (attention.pausedEndpoints?.items ?? []).filter(
    ({ partnerId }) => !failing.some((other) => other.partnerId === partnerId),
  );
  const unhandled = deadLetters.count + (postbackDeadLetters?.count ?? 0);
  return [
    ...(heldSales.count > 0 ? [{ text: t.held(countOf(heldSales.count)), to: '/held' }] : []),
    ...(applications.count > 0
      ? [{ text: t.applications(countOf(applications.count)), to: '/applications?status=pending' }]
      : []),
    ...disabled.map(({ partnerId, partnerName }) => ({
      text: t.disabled(partnerName ?? partnerId),
      to: `/partners/${partnerId}?tab=endpoint`,
    })),
    ...othersOf(disabledEndpoints, t.othersDisabled),
    ...failing.map(({ partnerId, partnerName, failing: count, pending }) => ({
      // The API counts up to MANY pending deliveries. If there are more, the number of those that do not fail is unknown.
      text: t.failingNow(partnerName ?? partnerId, countOf(count), pending >= MANY ? 0 : Math.max(0, pending - count)),
      to: `/partners/${partnerId}?tab=deliveries&status=failing`,
      more: { text: t.showEndpoint, to: `/partners/${partnerId}?tab=endpoint` },
    })),
    ...othersOf(failingEndpoints, t.othersFailing),
    ...paused.map(({ partnerId, partnerName }) => ({
      text: t.paused(partnerName ?? partnerId),
      to: `/partners/${partnerId}?tab=endpoint`,
    })),
    // Only for an older version of the API, which does not report which endpoints fail.
    ...(failingEndpoints ? [] : othersOf(attention.pausedEndpoints, t.othersPaused)),
    ...(attention.heldPostbacks?.items ?? []).map(({ partnerId, partnerName, count, endpoint }) => {
      const toEndpoint = `/partners/${partnerId}?tab=endpoint`;
      const toHeld = `/partners/${partnerId}?tab=deliveries&status=held`;
      const isActive = endpoint === 'active';
      return {
        text: t.heldPostbacks(partnerName ?? partnerId, countOf(count), endpoint),
        to: isActive ? toHeld : toEndpoint,
        more: isActive ? { text: t.showEndpoint, to: toEndpoint } : { text: t.showHeld, to: toHeld },
      };
    }),
    ...(attention.failedPostbacks?.items ?? []).map(({ partnerId, partnerName, count }) => ({
      text: t.failing(partnerName ?? partnerId, countOf(count)),
      to: `/partners/${partnerId}?tab=deliveries&status=failed`,
    })),
    ...(unhandled > 0 ? [{ text: t.deadLetters(countOf(unhandled)) }] : []),
  ];
}

/** Describes the endpoints that the API has counted but not returned. */
function othersOf(
  all: Attention['disabledEndpoints' | 'failingEndpoints' | 'pausedEndpoints'],
  textOf: (count: string) => string,
): Matter[] {
  const others = all ? all.count - all.items.length : 0;
  if (all === null || others === 0) return [];
  return [{ text: textOf(all.count >= MANY ? `${others}+` : String(others)), to: '/partners' }];
}
