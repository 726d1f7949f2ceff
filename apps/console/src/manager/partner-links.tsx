import { Button, NativeSelect, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { useAct } from '../api/use-act';
import { ConfirmButton, Dialog, Subject } from '../components/dialog';
import { Empty } from '../components/empty';
import { Id, ShortId } from '../components/id';
import { List } from '../components/list-page';
import { ShownOnce } from '../components/shown-once';
import { Environment, Status } from '../components/status';
import { Time } from '../components/time';
import { useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts } from '../texts/partners';

const t = partnersTexts.links;
type PortalLink = components['schemas']['PortalLink'];
type CreatedLink = components['schemas']['CreatedPortalLink'];

/** Lists the portal links, with which people at a partner open its portal. */
export default function PartnerLinks({ partner: { id } }: { partner: components['schemas']['Partner'] }) {
  const { cursor, goTo } = useFilters([]);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedLink | null>(null);
  const query = useQuery({
    queryKey: ['portal-links', id, cursor],
    queryFn: () =>
      answerOf(managerApi.GET('/admin/partners/{id}/portal-links', { params: { path: { id }, query: { cursor } } })),
    // A link changes when a person at the partner opens it.
    refetchInterval: LIVE_MS,
  });
  return (
    <Stack>
      <div>
        <Button size="xs" onClick={() => setMaking(true)}>
          {t.create}
        </Button>
      </div>
      <List
        label={partnersTexts.tabs.links}
        query={query}
        idOf={(link) => link.id}
        cursor={cursor}
        goTo={goTo}
        minWidth={1000}
        empty={<Empty title={t.emptyTitle}>{t.empty}</Empty>}
        columns={[
          { title: t.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
          { title: t.id, cell: ({ id: link }) => <ShortId value={link} /> },
          { title: t.by, cell: ({ createdBy }) => <Id value={createdBy} /> },
          { title: texts.environment, cell: ({ environment }) => <Environment value={environment} /> },
          { title: t.rights, cell: ({ readOnly }) => (readOnly ? t.reading : t.all) },
          { title: t.state, cell: (link) => <Status value={COLORS[stateOf(link)]} text={t.states[stateOf(link)]} /> },
          { title: t.until, cell: (link) => <Time value={stateOf(link) === 'open' ? link.expiresAt : null} /> },
          { title: '', cell: (link) => (['open', 'used'].includes(stateOf(link)) ? <End link={link} /> : null) },
        ]}
      />
      {making && <Make partnerId={id} onClose={() => setMaking(false)} onMade={setMade} />}
      <ShownOnce title={t.once} hint={t.onceHint} value={made && made.url} onClose={() => setMade(null)}>
        {made && (
          <Text size="sm">
            {texts.environment}: {texts.environments[made.environment]}. {made.readOnly ? t.reading : t.all}. {t.until}{' '}
            <Time value={made.expiresAt} />.
          </Text>
        )}
      </ShownOnce>
    </Stack>
  );
}

type State = keyof typeof t.states;
const COLORS: Readonly<Record<State, string>> = { open: 'active', used: 'used', expired: 'ended', ended: 'ended' };

function stateOf({ usedAt, endedAt, expiresAt }: PortalLink): State {
  if (endedAt !== null) return 'ended';
  if (usedAt !== null) return 'used';
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : 'open';
}

function End({ link: { id, environment, createdAt, createdBy } }: { link: PortalLink }) {
  const act = useAct(() => answerOf(managerApi.DELETE('/admin/portal-links/{id}', { params: { path: { id } } })), {
    changes: ['portal-links', 'tokens'],
    done: () => t.done,
  });
  return (
    <ConfirmButton
      title={t.end}
      action={t.end}
      consequence={
        <>
          <Subject>
            {t.named(texts.environments[environment])} <Time value={createdAt} /> {t.namedBy(createdBy)}
          </Subject>
          {t.endConsequence}
        </>
      }
      danger
      act={act}
      button={{ size: 'compact-xs' }}
    />
  );
}

function Make({
  partnerId: id,
  onClose,
  onMade,
}: {
  partnerId: string;
  onClose: () => void;
  onMade: (link: CreatedLink) => void;
}) {
  const [environment, setEnvironment] = useState<'live' | 'test'>('live');
  const [readOnly, setReadOnly] = useState(false);
  const [lifetime, setLifetime] = useState('86400');
  const act = useAct(
    (body: components['schemas']['CreatePortalLinkBody']) =>
      answerOf(managerApi.POST('/admin/partners/{id}/portal-links', { params: { path: { id } }, body })),
    { changes: ['portal-links'], done: () => t.made, onDone: onMade },
  );
  const input = { environment, readOnly, lifetimeSeconds: Number(lifetime) };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t.create}
      consequence={t.consequence}
      action={t.create}
      act={act}
      inputOf={() => ({ input })}
    >
      <SegmentedControl
        aria-label={texts.environment}
        value={environment}
        onChange={(value) => setEnvironment(value as typeof environment)}
        data={Object.entries(texts.environments).map(([value, label]) => ({ value, label }))}
      />
      <NativeSelect
        label={t.lifetime}
        value={lifetime}
        onChange={(event) => setLifetime(event.currentTarget.value)}
        data={Object.entries(t.lifetimes).map(([value, label]) => ({ value, label }))}
      />
      <Switch label={t.readOnly} checked={readOnly} onChange={(event) => setReadOnly(event.currentTarget.checked)} />
    </Dialog>
  );
}
