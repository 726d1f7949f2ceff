import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, supportApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { Dialog } from '../components/dialog';
import type { components } from '../generated/support-api';
import { changeDataTexts } from '../texts/change-data';
import { supportTexts } from '../texts/support';
import { ChangeData } from './change-data';
import { ReasonField, reasonHeader, reasonProblemOf } from './reason';

const t = supportTexts.acts;
type Name = 'unlock' | 'change' | 'sync' | 'erase';
/** The actions that need no input except a reason and a confirmation. */
type PlainName = Exclude<Name, 'change'>;
type User = components['schemas']['IdentityUser'];

const calls = {
  unlock: (params: Params) => answerOf(supportApi.POST('/idp/support/users/{user_id}/unlock', { params })),
  sync: (params: Params) => answerOf(supportApi.POST('/idp/support/users/{user_id}/enrollment-sync', { params })),
  erase: (params: Params) => answerOf(supportApi.DELETE('/idp/support/users/{user_id}', { params })),
};

interface Params {
  readonly path: { user_id: string };
  readonly header: ReturnType<typeof reasonHeader>;
}

interface Said {
  readonly consequence: string;
  readonly done: string;
}

const SAID: Readonly<Record<PlainName, Said>> = {
  unlock: { consequence: t.unlockConsequence, done: t.unlocked },
  sync: { consequence: t.syncConsequence, done: t.synced },
  erase: { consequence: t.eraseConsequence, done: t.erased },
};

/** The actions in the order of their buttons, with their names. */
const ACTIONS: Readonly<Record<Name, string>> = {
  unlock: t.unlock,
  change: changeDataTexts.action,
  sync: t.sync,
  erase: t.erase,
};

/** The texts for a user without a profile: the erasure deletes only the failed identity checks, and changes nothing at the vendor. */
const CHECKS_ERASED: Said = { consequence: t.eraseChecksConsequence, done: t.erasedChecks };

/** The texts for a user without any data, for whom the only possible erasure is the repetition of an erasure whose result is unknown. */
const ERASED_AGAIN: Said = { consequence: t.eraseAgainConsequence, done: t.erasedAgain };

function saidOf(name: PlainName, { profile, verification: { attempts } }: User): Said {
  if (name !== 'erase' || profile !== null) return SAID[name];
  return attempts > 0 ? CHECKS_ERASED : ERASED_AGAIN;
}

/** Returns, for each action, why it is not offered: it would have no effect, or the API would refuse it. Undefined if the action is offered. */
function obstaclesOf({ profile, subscriptions, verification }: User, canEraseAgain: boolean, isErased: boolean) {
  const { lock, attempts, remainingAttempts } = verification;
  // If no identity check of an erased user is stored, the text does not say how many checks are left, because the user has none to do.
  const notLocked = isErased && attempts === 0 ? t.notLockedAtAll : t.notLocked(remainingAttempts);
  const nothingToErase = subscriptions.length > 0 ? `${t.nothingToErase} ${t.recordsKept}` : t.nothingToErase;
  return {
    unlock: lock === null ? notLocked : undefined,
    change: profile === null ? changeDataTexts.noProfile : undefined,
    sync: profile === null ? t.noProfileToSync : undefined,
    erase: profile === null && attempts === 0 && !canEraseAgain ? nothingToErase : undefined,
  };
}

interface ActsProps {
  readonly user: User;
  /** Whether it is unknown if the last erasure took effect. */
  readonly canEraseAgain: boolean;
  readonly isErased: boolean;
  readonly onDone: (name: PlainName) => void;
}

/** The actions of support on a user. Each needs a reason, which the audit trail stores. */
export function Acts({ user, canEraseAgain, isErased, onDone }: ActsProps) {
  const [opened, setOpened] = useState<Name | null>(null);
  const obstacles = obstaclesOf(user, canEraseAgain, isErased);
  const names = Object.keys(ACTIONS) as Name[];
  const close = () => setOpened(null);
  return (
    <Stack gap={4}>
      <Group gap="xs" role="group" aria-label={t.title}>
        {names.map((name) => (
          <Button
            key={name}
            size="xs"
            variant="default"
            disabled={obstacles[name] !== undefined}
            onClick={() => setOpened(name)}
          >
            {ACTIONS[name]}
          </Button>
        ))}
      </Group>
      {names.map(
        (name) =>
          obstacles[name] && (
            <Text key={name} size="xs" c="dimmed">
              {ACTIONS[name]}: {obstacles[name]}
            </Text>
          ),
      )}
      {opened === 'change' && <ChangeData krn={user.krn} onClose={close} />}
      {opened !== null && opened !== 'change' && (
        <Act key={opened} name={opened} user={user} onClose={close} onDone={() => onDone(opened)} />
      )}
    </Stack>
  );
}

interface ActProps {
  readonly name: PlainName;
  readonly user: User;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Act({ name, user, onClose, onDone }: ActProps) {
  const { krn } = user;
  // The action changes the user, but the dialog must describe the user at the time when it was opened.
  const [{ consequence, done }] = useState(saidOf(name, user));
  const [reason, setReason] = useState('');
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState(false);
  const action = ACTIONS[name];
  const act = useAct(
    async (params: Params) => {
      await calls[name](params);
    },
    {
      changes: ['user'],
      done: () => done,
      onDone,
    },
  );
  const isConfirmed = name !== 'erase' || typed.trim() === krn;
  const inputOf = (): { input: Params } | undefined => {
    setTried(true);
    if (reasonProblemOf(reason) || !isConfirmed) return undefined;
    return { input: { path: { user_id: krn }, header: reasonHeader(reason) } };
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
      <ReasonField
        value={reason}
        error={tried && reasonProblemOf(reason)}
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
