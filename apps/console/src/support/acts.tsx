import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, supportApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { Dialog } from '../components/dialog';
import { supportTexts } from '../texts/support';

const t = supportTexts.acts;
type Name = 'unlock' | 'sync' | 'erase';

const calls = {
  unlock: (params: Params) => answerOf(supportApi.POST('/idp/support/users/{user_id}/unlock', { params })),
  sync: (params: Params) => answerOf(supportApi.POST('/idp/support/users/{user_id}/enrollment-sync', { params })),
  erase: (params: Params) => answerOf(supportApi.DELETE('/idp/support/users/{user_id}', { params })),
};

interface Params {
  readonly path: { user_id: string };
  readonly header: { 'X-Support-Reason': string };
}

const SAID: Readonly<Record<Name, { action: string; consequence: string; done: string }>> = {
  unlock: { action: t.unlock, consequence: t.unlockConsequence, done: t.unlocked },
  sync: { action: t.sync, consequence: t.syncConsequence, done: t.synced },
  erase: { action: t.erase, consequence: t.eraseConsequence, done: t.erased },
};

/** The actions of support on a user. Each needs a reason, which the audit trail stores. */
export function Acts({ krn, onErased }: { krn: string; onErased: () => void }) {
  const [opened, setOpened] = useState<Name | null>(null);
  return (
    <>
      <Group gap="xs" role="group" aria-label={t.title}>
        {(Object.keys(SAID) as Name[]).map((name) => (
          <Button key={name} size="xs" variant="default" onClick={() => setOpened(name)}>
            {SAID[name].action}
          </Button>
        ))}
      </Group>
      {opened && <Act key={opened} name={opened} krn={krn} onClose={() => setOpened(null)} onErased={onErased} />}
    </>
  );
}

interface ActProps {
  readonly name: Name;
  readonly krn: string;
  readonly onClose: () => void;
  readonly onErased: () => void;
}

function Act({ name, krn, onClose, onErased }: ActProps) {
  const { action, consequence, done } = SAID[name];
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState(false);
  const act = useAct(
    async (params: Params) => {
      await calls[name](params);
    },
    {
      changes: ['user'],
      done: () => done,
      onDone: () => name === 'erase' && onErased(),
    },
  );
  const isConfirmed = name !== 'erase' || typed.trim() === krn;
  const inputOf = (): { input: Params } | undefined => {
    setTried(true);
    if (reason.trim() === '' || !isConfirmed) return undefined;
    return { input: { path: { user_id: krn }, header: { 'X-Support-Reason': reason.trim() } } };
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={action}
      consequence={consequence}
      action={action}
      danger={name === 'erase'}
      act={act}
      inputOf={inputOf}
    >
      <TextInput
        label={t.reason}
        description={t.reasonHint}
        required
        maxLength={500}
        value={reason}
        error={tried && reason.trim() === '' ? t.reasonRequired : undefined}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {name === 'erase' && (
        <TextInput
          label={t.eraseConfirm}
          description={krn}
          required
          autoComplete="off"
          value={typed}
          error={tried && !isConfirmed ? t.eraseMismatch : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </Dialog>
  );
}
