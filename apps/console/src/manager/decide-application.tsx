import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { ConfirmButton } from '../components/dialog';
import type { components } from '../generated/manager-api';
import { applicationsTexts as t } from '../texts/applications';

interface DecisionProps {
  readonly application: components['schemas']['PartnerApplication'];
}

/** A button that approves an application and then opens the page of the new partner. */
export function ApproveApplication({ application: { id, companyName } }: DecisionProps) {
  const navigate = useNavigate();
  const act = useAct(
    () => answerOf(managerApi.POST('/admin/applications/{id}/approve', { params: { path: { id } } })),
    {
      changes: ['applications', 'partners', 'attention'],
      done: ({ name }) => t.approved(name),
      onDone: (partner) => void navigate(`/partners/${partner.id}`),
    },
  );
  return (
    <ConfirmButton
      title={t.approveTitle(companyName)}
      action={t.approve}
      consequence={t.approveConsequence}
      act={act}
      button={{ variant: 'filled' }}
    />
  );
}

/** A button that rejects an application, with a note for other managers. */
export function RejectApplication({ application: { id, companyName } }: DecisionProps) {
  const [note, setNote] = useState('');
  const act = useAct(
    () =>
      answerOf(
        managerApi.POST('/admin/applications/{id}/reject', {
          params: { path: { id } },
          body: { note: note.trim() || null },
        }),
      ),
    { changes: ['applications', 'attention'], done: () => t.rejected(companyName) },
  );
  return (
    <ConfirmButton
      title={t.rejectTitle(companyName)}
      action={t.reject}
      consequence={t.rejectConsequence}
      danger
      act={act}
    >
      <Textarea
        label={t.note}
        description={t.noteHint}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={1000}
      />
    </ConfirmButton>
  );
}
