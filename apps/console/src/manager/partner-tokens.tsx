import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { Dialog, Subject } from '../components/dialog';
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
  const [chosen, setChosen] = useState<Chosen | null>(null);
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
            cell: (token) => (stateOf(token) === 'active' ? <Acts token={token} choose={setChosen} /> : null),
          },
        ]}
      />
      {issuing && <IssueToken partner={partner} onClose={() => setIssuing(false)} onSecret={setIssued} />}
      {chosen && <ActDialog {...chosen} onClose={() => setChosen(null)} onSecret={setIssued} />}
      <ShownOnce
        title={issued && t.once[issued.environment]}
        hint={t.onceHint}
        value={issued && issued.token}
        onClose={() => setIssued(null)}
      >
        {issued && <NameOf token={issued} />}
      </ShownOnce>
    </Stack>
  );
}

function stateOf({ revokedAt, expiresAt }: Token): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

/** The name of the token, its last characters, and its id, which the audit shows. */
const Ids = ({ token: { id, name, last4 } }: { token: Token }) => (
  <Stack gap={4} align="flex-start">
    {name !== null && (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Text>
    )}
    <Code style={{ whiteSpace: 'nowrap' }}>…{last4}</Code>
    <ShortId value={id} />
  </Stack>
);

function StateOf({ token }: { token: Token }) {
  const state = stateOf(token);
  return (
    <Group gap={4}>
      <Status value={state === 'active' ? 'active' : 'ended'} text={t[state]} />
      {token.replacedBy !== null && <Status value="ended" text={t.replaced} />}
      {token.portalLinkId !== null && <Status value="used" text={t.portal} />}
    </Group>
  );
}

/** Names a token in the dialogs of its actions, and in the dialog that shows it. */
const NameOf = ({ token: { name, last4, environment, createdAt } }: { token: Token }) => (
  <Subject>
    {t.named(name, last4, texts.environments[environment])} <Time value={createdAt} />
  </Subject>
);

type ActName = 'rotate' | 'leaked' | 'revoke' | 'endSession';
interface Chosen {
  readonly token: Token;
  readonly name: ActName;
}

/** Returns the actions on an active token. The token of a portal session can have no successor, so the session can only be ended. */
function actsOn({ replacedBy, portalLinkId }: Token): readonly ActName[] {
  if (portalLinkId !== null) return ['endSession'];
  return replacedBy === null ? ['rotate', 'leaked', 'revoke'] : ['revoke'];
}

/** The buttons that open the dialogs of a token's actions. */
const Acts = ({ token, choose }: { token: Token; choose: (chosen: Chosen) => void }) => (
  <Group gap={4}>
    {actsOn(token).map((name) => (
      <Button key={name} size="compact-xs" variant="default" onClick={() => choose({ token, name })}>
        {name === 'leaked' ? t.leakedButton : t[name]}
      </Button>
    ))}
  </Group>
);

interface ActDialogProps extends Chosen {
  readonly onClose: () => void;
  readonly onSecret: (token: IssuedToken) => void;
}

/**
 * The dialog of an action. If the answer is lost after the action took effect, the list loads again, and the token's row no longer offers the action.
 * The dialog must still show the failure then, so the dialog is not part of the row.
 */
function ActDialog({ token, name, onClose, onSecret }: ActDialogProps) {
  const params = { path: { id: token.id } };
  const hasSuccessor = name === 'rotate' || name === 'leaked';
  const act = useAct<IssuedToken | undefined>(
    () => {
      if (name === 'rotate') return answerOf(managerApi.POST('/admin/tokens/{id}/rotate', { params, body: {} }));
      if (name === 'leaked') return answerOf(managerApi.POST('/admin/tokens/{id}/leaked', { params }));
      return answerOf(managerApi.DELETE('/admin/tokens/{id}', { params }));
    },
    {
      changes: ['tokens'],
      done: hasSuccessor ? undefined : () => (name === 'revoke' ? t.done : t.sessionEnded),
      onDone: (issued) => hasSuccessor && issued && onSecret(issued),
      reloadsAfterFailure: true,
    },
  );
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t[name]}
      action={t[name]}
      consequence={
        <>
          <NameOf token={token} />
          {t[`${name}Consequence`]}
          {name === 'leaked' && token.scopes.includes('checkout:create') && ` ${t.leakedCheckout}`}
        </>
      }
      danger={name !== 'rotate'}
      act={act}
      inputOf={() => ({ input: undefined })}
      whenUncertain={hasSuccessor ? t.checkSuccessor : undefined}
    />
  );
}
