import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { ConfirmButton } from '../components/dialog';
import { managerTexts } from '../texts/manager';

const t = managerTexts.held;

interface DecideProps {
  readonly decision: 'release' | 'refuse';
  readonly oids: readonly string[];
  readonly label?: string;
  readonly onDone?: () => void;
}

/** A button that releases or refuses held sales, with a note. */
export function Decide({ decision, oids, label, onDone }: DecideProps) {
  const [note, setNote] = useState('');
  const isRelease = decision === 'release';
  const act = useAct(
    () =>
      answerOf(
        managerApi.POST('/admin/sales/decisions', {
          body: { decision, oids: [...oids], ...(note.trim() && { note: note.trim() }) },
        }),
      ),
    {
      changes: ['sales', 'story', 'statistics', 'attention'],
      done: ({ items }) => {
        const problems = items.flatMap(({ code, detail }) => (code === null ? [] : [detail ?? code]));
        return t.decided(isRelease ? 'released' : 'refused', items.length - problems.length, problems);
      },
      onDone: () => {
        setNote('');
        onDone?.();
      },
    },
  );
  const title = isRelease ? t.release(oids.length) : t.refuse(oids.length);
  return (
    <ConfirmButton
      title={title}
      label={label}
      action={title}
      consequence={isRelease ? t.releaseConsequence : t.refuseConsequence}
      danger={!isRelease}
      act={act}
      disabled={oids.length === 0}
      button={isRelease ? { variant: 'filled' } : {}}
    >
      <Textarea
        label={t.note}
        description={t.noteHint}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={500}
      />
    </ConfirmButton>
  );
}
