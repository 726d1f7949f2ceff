import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { Amount } from '../components/amount';
import { ConfirmButton, Subject } from '../components/dialog';
import { texts } from '../texts/common';
import { managerTexts } from '../texts/manager';
import type { Sale } from './sale-columns';

const t = managerTexts.held;

interface DecideProps {
  readonly decision: 'release' | 'refuse';
  readonly sales: readonly Pick<Sale, 'oid' | 'sharedId' | 'amount' | 'currency' | 'environment'>[];
  readonly label?: string;
  readonly onDone?: () => void;
}

/** A button that releases or refuses held sales, with a note. */
export function Decide({ decision, sales, label, onDone }: DecideProps) {
  const [note, setNote] = useState('');
  const isRelease = decision === 'release';
  const act = useAct(
    () =>
      answerOf(
        managerApi.POST('/admin/sales/decisions', {
          body: { decision, oids: sales.map(({ oid }) => oid), ...(note.trim() && { note: note.trim() }) },
        }),
      ),
    {
      changes: ['sales', 'story', 'statistics', 'attention'],
      done: ({ items }) => {
        const problems = items.flatMap(({ code, detail }) =>
          code === null ? [] : [t.problems[code] ?? detail ?? code],
        );
        const decided = items.length - problems.length;
        const message = t.decided(isRelease ? 'released' : 'refused', decided, problems);
        return problems.length === 0 ? message : { message, color: decided === 0 ? 'red' : 'orange' };
      },
      onDone: () => {
        setNote('');
        onDone?.();
      },
    },
  );
  const title = isRelease ? t.release(sales.length) : t.refuse(sales.length);
  const [only, another] = sales;
  const countOf = (environment: keyof typeof texts.environments): number =>
    sales.filter((sale) => sale.environment === environment).length;
  return (
    <ConfirmButton
      title={title}
      label={label}
      action={title}
      consequence={
        <>
          {only && !another && (
            <Subject>
              {t.one(only.oid, only.sharedId)}, <Amount amount={only.amount} currency={only.currency} />
              {only.environment && `, ${texts.environments[only.environment]}`}
            </Subject>
          )}
          {another && <Subject>{t.several(countOf('live'), countOf('test'))}</Subject>}
          {(isRelease ? t.releaseConsequence : t.refuseConsequence)(sales.length)}
        </>
      }
      danger={!isRelease}
      act={act}
      disabled={sales.length === 0}
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
