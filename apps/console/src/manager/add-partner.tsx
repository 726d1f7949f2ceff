import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { Dialog } from '../components/dialog';
import { texts } from '../texts/common';
import { partnersTexts as t } from '../texts/partners';
import { PARTNER_FIELDS, partnerBodyOf, PartnerFields, usePartnerForm } from './partner-form';

/** A dialog that adds a partner and then opens the partner's page. */
export function AddPartner({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const form = usePartnerForm();
  const [kind, setKind] = useState<'promotion' | 'voucher'>('promotion');
  const act = useAct(
    (body: ReturnType<typeof partnerBodyOf>) =>
      answerOf(managerApi.POST('/admin/partners', { body: { ...body, kind } })),
    {
      changes: ['partners'],
      done: ({ name }) => t.added(name),
      onDone: ({ id }) => void navigate(`/partners/${id}`),
      reloadsAfterFailure: true,
    },
  );
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t.add}
      consequence={t.addHint}
      action={t.add}
      act={act}
      shown={PARTNER_FIELDS}
      whenUncertain={t.checkList}
      inputOf={() => (form.validate().hasErrors ? undefined : { input: partnerBodyOf(form.values, kind) })}
    >
      <Stack gap={4}>
        <SegmentedControl
          aria-label={t.kind}
          value={kind}
          onChange={(value) => {
            setKind(value as typeof kind);
            // Resets the settings of the other kind: they are now hidden, so the user could not correct an invalid value.
            form.setValues({ revokeWindowDays: form.getInitialValues().revokeWindowDays, concurrency: '' });
          }}
          data={Object.entries(texts.kinds).map(([value, label]) => ({ value, label }))}
        />
        <Text size="xs" c="dimmed">
          {t.kindHints[kind]}
        </Text>
      </Stack>
      <PartnerFields form={form} kind={kind} error={act.error} />
    </Dialog>
  );
}
