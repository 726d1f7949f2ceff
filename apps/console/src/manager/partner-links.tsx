import { Button, Input, NativeSelect, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { refusalOf } from '../api/problem';
import { LIVE_MS } from '../api/query';
import { useAct } from '../api/use-act';
import { ConfirmButton, Dialog, Subject } from '../components/dialog';
import { Empty } from '../components/empty';
import { ShortId } from '../components/id';
import { List } from '../components/list-page';
import { Person } from '../components/person';
import { ShownOnce } from '../components/shown-once';
import { Environment, Status } from '../components/status';
import { Time } from '../components/time';
import { useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts } from '../texts/partners';
import { portalLinkTexts as t } from '../texts/portal-links';

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
          { title: t.link, cell: (link) => <NameAndId link={link} /> },
          { title: t.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
          { title: t.by, cell: ({ createdBy }) => <Person subject={createdBy} /> },
          { title: texts.environment, cell: ({ environment }) => <Environment value={environment} /> },
          { title: t.rights, cell: ({ readOnly }) => (readOnly ? t.reading : t.all) },
          { title: t.state, cell: (link) => <StateOf link={link} /> },
          { title: '', cell: (link) => (['open', 'used'].includes(stateOf(link)) ? <End link={link} /> : null) },
        ]}
      />
      {making && <Make partnerId={id} onClose={() => setMaking(false)} onMade={setMade} />}
      <ShownOnce title={t.once} hint={t.onceHint} value={made && made.url} onClose={() => setMade(null)}>
        {made && (
          <>
            <Subject>
              <NameOf link={made} />
            </Subject>
            <Text size="sm">
              {made.readOnly ? t.reading : t.all}. {t.until} <Time value={made.expiresAt} />.
            </Text>
          </>
        )}
      </ShownOnce>
    </Stack>
  );
}

type State = keyof typeof t.states;
const COLORS: Readonly<Record<State, string>> = {
  open: 'active',
  used: 'used',
  over: 'ended',
  expired: 'ended',
  ended: 'ended',
};
const isPast = (time: string | null): boolean => time !== null && Date.parse(time) <= Date.now();

function stateOf({ usedAt, endedAt, expiresAt, sessionEndsAt }: PortalLink): State {
  if (endedAt !== null) return 'ended';
  if (usedAt !== null) return isPast(sessionEndsAt) ? 'over' : 'used';
  return isPast(expiresAt) ? 'expired' : 'open';
}

/** The state of a link, and the times that the state depends on. */
function StateOf({ link }: { link: PortalLink }) {
  const state = stateOf(link);
  const times = [
    [t.until, state === 'open' ? link.expiresAt : null],
    [t.opened, link.usedAt],
    [t.session, link.sessionEndsAt],
    [t.endedAt, link.endedAt],
  ] as const;
  return (
    <Stack gap={2} align="flex-start">
      <Status value={COLORS[state]} text={t.states[state]} />
      {times.map(
        ([title, at]) =>
          at !== null && (
            <Text key={title} size="xs">
              {title} <Time value={at} />
            </Text>
          ),
      )}
    </Stack>
  );
}

/** The name of the link, and its id, which the audit shows. */
const NameAndId = ({ link: { id, name } }: { link: PortalLink }) => (
  <Stack gap={4} align="flex-start">
    {name !== null && (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    )}
    <ShortId value={id} />
  </Stack>
);

/** Names a link in the dialog that ends it, and in the dialog that shows it. */
const NameOf = ({ link: { name, environment, createdAt } }: { link: PortalLink }) => (
  <>
    {t.named(name, texts.environments[environment])} <Time value={createdAt} />
  </>
);

function End({ link }: { link: PortalLink }) {
  const { id, createdBy } = link;
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
            <NameOf link={link} /> {t.namedBy} <Person subject={createdBy} />
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
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState<'live' | 'test'>('live');
  const [readOnly, setReadOnly] = useState(false);
  const [lifetime, setLifetime] = useState('86400');
  const act = useAct(
    (body: components['schemas']['CreatePortalLinkBody']) =>
      answerOf(managerApi.POST('/admin/partners/{id}/portal-links', { params: { path: { id } }, body })),
    { changes: ['portal-links'], done: () => t.made, onDone: onMade },
  );
  const input = { name: name.trim() || null, environment, readOnly, lifetimeSeconds: Number(lifetime) };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t.create}
      consequence={t.consequence}
      action={t.create}
      act={act}
      shown={['name']}
      inputOf={() => ({ input })}
    >
      <TextInput
        label={t.name}
        description={t.nameHint}
        maxLength={100}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={refusalOf(act.error, 'name')}
      />
      <Input.Wrapper label={texts.environment} labelElement="div">
        <SegmentedControl
          fullWidth
          aria-label={texts.environment}
          value={environment}
          onChange={(value) => setEnvironment(value as typeof environment)}
          data={Object.entries(texts.environments).map(([value, label]) => ({ value, label }))}
        />
      </Input.Wrapper>
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
