import { Checkbox, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { refusalOf } from '../api/problem';
import { useAct } from '../api/use-act';
import { Dialog } from '../components/dialog';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts } from '../texts/partners';

const t = partnersTexts.tokens;
type Body = components['schemas']['IssueTokenBody'];
type Scope = NonNullable<Body['scopes']>[number];

const SCOPES: Readonly<Record<'promotion' | 'voucher', readonly Scope[]>> = {
  promotion: ['checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write', 'postback:listen'],
  voucher: ['vouchers:read', 'vouchers:create'],
};

/** The rights that a shop's program needs, which are selected when the dialog opens. */
const NEEDED: Readonly<Record<'promotion' | 'voucher', readonly Scope[]>> = {
  promotion: ['checkout:create', 'sales:revoke'],
  voucher: SCOPES.voucher,
};

const scopesOf = (kind: keyof typeof SCOPES, environment: 'live' | 'test'): readonly Scope[] =>
  SCOPES[kind].filter((scope) => environment === 'test' || scope !== 'postback:listen');

interface IssueTokenProps {
  readonly partner: components['schemas']['Partner'];
  readonly onClose: () => void;
  readonly onSecret: (token: components['schemas']['IssuedToken']) => void;
}

/** A dialog that issues a token with the selected rights. */
export function IssueToken({ partner: { id, kind }, onClose, onSecret }: IssueTokenProps) {
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState<'live' | 'test'>('live');
  const [scopes, setScopes] = useState<string[]>([...NEEDED[kind]]);
  const offered = scopesOf(kind, environment);
  const selected = offered.filter((scope) => scopes.includes(scope));
  const act = useAct(
    (body: Body) => answerOf(managerApi.POST('/admin/partners/{id}/tokens', { params: { path: { id } }, body })),
    {
      changes: ['tokens'],
      done: () => t.issued,
      onDone: onSecret,
      reloadsAfterFailure: true,
    },
  );
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t.issue}
      consequence={t.issueConsequence}
      action={t.issue}
      act={act}
      whenUncertain={t.checkList}
      shown={['name']}
      inputOf={() =>
        selected.length === 0 ? undefined : { input: { name: name.trim() || null, environment, scopes: selected } }
      }
    >
      <TextInput
        label={t.name}
        description={t.nameHint}
        maxLength={100}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={refusalOf(act.error, 'name')}
      />
      <SegmentedControl
        aria-label={texts.environment}
        value={environment}
        onChange={(value) => setEnvironment(value as typeof environment)}
        data={Object.entries(texts.environments).map(([value, label]) => ({ value, label }))}
      />
      <Checkbox.Group
        label={t.scopes}
        description={kind === 'promotion' ? t.scopesHint : undefined}
        value={scopes}
        onChange={setScopes}
        error={selected.length === 0 ? t.scopeRequired : undefined}
      >
        <Stack gap={6} mt={4}>
          {offered.map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} description={t.rights[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Dialog>
  );
}
