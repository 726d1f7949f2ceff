import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { ConfirmButton, Subject } from '../components/dialog';
import { Empty } from '../components/empty';
import { ShortId } from '../components/id';
import { List } from '../components/list-page';
import { ShownOnce } from '../components/shown-once';
import { Environment, Status } from '../components/status';
import { Time } from '../components/time';
import { useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts } from '../texts/partners';
import { IssueToken } from './issue-token';

const t = partnersTexts.tokens;
type Token = components['schemas']['Token'];
type IssuedToken = components['schemas']['IssuedToken'];

/** Lists the tokens of a partner, including those of its portal sessions. */
export default function PartnerTokens({ partner }: { partner: components['schemas']['Partner'] }) {
  const { id } = partner;
  const { cursor, goTo } = useFilters([]);
  const [issuing, setIssuing] = useState(false);
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  const query = useQuery({
    queryKey: ['tokens', id, cursor],
    queryFn: () =>
      answerOf(managerApi.GET('/admin/partners/{id}/tokens', { params: { path: { id }, query: { cursor } } })),
  });
  return (
    <Stack>
      <div>
        <Button size="xs" onClick={() => setIssuing(true)}>
          {t.issue}
        </Button>
      </div>
      <List
        label={partnersTexts.tabs.tokens}
        query={query}
        idOf={(token) => token.id}
        cursor={cursor}
        goTo={goTo}
        minWidth={1000}
        empty={<Empty title={t.emptyTitle}>{t.empty}</Empty>}
        columns={[
          { title: t.token, cell: (token) => <Ids token={token} /> },
          { title: texts.environment, cell: ({ environment }) => <Environment value={environment} /> },
          { title: t.scopes, cell: ({ scopes }) => <Text size="xs">{scopes.join(', ')}</Text> },
          { title: t.state, cell: (token) => <StateOf token={token} /> },
          { title: t.expires, cell: ({ expiresAt }) => (expiresAt ? <Time value={expiresAt} /> : t.never) },
          { title: t.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Time value={lastUsedAt} /> : texts.never) },
          {
            title: '',
            cell: (token) => (stateOf(token) === 'active' ? <Acts token={token} onSecret={setIssued} /> : null),
          },
        ]}
      />
      {issuing && <IssueToken partner={partner} onClose={() => setIssuing(false)} onSecret={setIssued} />}
      <ShownOnce
        title={issued && t.once[issued.environment]}
        hint={t.onceHint}
        value={issued && issued.token}
        onClose={() => setIssued(null)}
      />
    </Stack>
  );
}

function stateOf({ revokedAt, expiresAt }: Token): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

/** The end of the token, and its id, which the audit shows. */
const Ids = ({ token: { id, last4 } }: { token: Token }) => (
  <Stack gap={4} align="flex-start">
    <Code style={{ whiteSpace: 'nowrap' }}>…{last4}</Code>
    <ShortId value={id} />
  </Stack>
);

function StateOf({ token }: { token: Token }) {
  const state = stateOf(token);
  return (
    <Group gap={4}>
      <Status value={state === 'active' ? 'active' : 'ended'} text={t[state]} />
      {token.portalLinkId !== null && <Status value="used" text={t.portal} />}
    </Group>
  );
}

/** Names a token in the dialogs of its actions. */
const NameOf = ({ token: { last4, environment, createdAt } }: { token: Token }) => (
  <Subject>
    {t.named(last4, texts.environments[environment])} <Time value={createdAt} />
  </Subject>
);

/** The actions on a token. The token of a portal session can have no successor, so the session can only be ended. */
function Acts({ token, onSecret }: { token: Token; onSecret: (token: IssuedToken) => void }) {
  const { id, replacedBy, portalLinkId } = token;
  const params = { path: { id } };
  const changes = ['tokens'];
  const rotate = useAct(() => answerOf(managerApi.POST('/admin/tokens/{id}/rotate', { params, body: {} })), {
    changes,
    onDone: onSecret,
  });
  const leaked = useAct(() => answerOf(managerApi.POST('/admin/tokens/{id}/leaked', { params })), {
    changes,
    onDone: onSecret,
  });
  const isSession = portalLinkId !== null;
  const revoke = useAct(() => answerOf(managerApi.DELETE('/admin/tokens/{id}', { params })), {
    changes,
    done: () => (isSession ? t.sessionEnded : t.done),
  });
  const end = isSession ? t.endSession : t.revoke;
  const button = { size: 'compact-xs' };
  const consequence = (text: string) => (
    <>
      <NameOf token={token} />
      {text}
    </>
  );
  return (
    <Group gap={4}>
      {replacedBy === null && !isSession && (
        <>
          <ConfirmButton
            title={t.rotate}
            action={t.rotate}
            consequence={consequence(t.rotateConsequence)}
            act={rotate}
            button={button}
          />
          <ConfirmButton
            title={t.leaked}
            action={t.leaked}
            label={t.leakedButton}
            consequence={consequence(t.leakedConsequence)}
            danger
            act={leaked}
            button={button}
          />
        </>
      )}
      <ConfirmButton
        title={end}
        action={end}
        consequence={consequence(isSession ? t.endSessionConsequence : t.revokeConsequence)}
        danger
        act={revoke}
        button={button}
      />
    </Group>
  );
}
