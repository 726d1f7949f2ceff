import { Button, Group, List, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { Dialog } from '../components/dialog';
import { Failure } from '../components/failure';
import { Loaded } from '../components/loaded';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts as t } from '../texts/partners';
import { PARTNER_FIELDS, partnerBodyOf, PartnerFields, usePartnerForm } from './partner-form';

type Partner = components['schemas']['Partner'];

/** The settings of a partner that a manager can change, and the button that deactivates or activates the partner. */
export default function PartnerSettings({ partner }: { partner: Partner }) {
  const { id } = partner;
  const form = usePartnerForm(partner);
  const act = useAct(
    (body: ReturnType<typeof partnerBodyOf>) =>
      answerOf(managerApi.PATCH('/admin/partners/{id}', { params: { path: { id } }, body })),
    {
      changes: ['partner', 'partners', 'audit'],
      done: () => t.changed,
      onDone: () => form.setValues({ contactEmail: '', removesContact: false }),
    },
  );
  const [opened, setOpened] = useState(false);
  return (
    <Stack maw={560}>
      <Paper withBorder p="md">
        <form onSubmit={form.onSubmit((values) => act.mutate(partnerBodyOf(values)))} noValidate>
          <Stack>
            <PartnerFields form={form} contact={partner.contactEmail} error={act.error} />
            <Failure error={act.error} shown={PARTNER_FIELDS} />
            <Group justify="flex-end">
              <Button type="submit" loading={act.isPending}>
                {texts.save}
              </Button>
            </Group>
          </Stack>
        </form>
      </Paper>
      <div>
        <Button variant="default" onClick={() => setOpened(true)}>
          {partner.active ? t.deactivate : t.activate}
        </Button>
      </div>
      {opened && <Activity partner={partner} onClose={() => setOpened(false)} />}
    </Stack>
  );
}

/** A dialog that shows the effects and deactivates a partner, or activates it again. */
function Activity({ partner: { id, active }, onClose }: { partner: Partner; onClose: () => void }) {
  const act = useAct(
    () => answerOf(managerApi.PATCH('/admin/partners/{id}', { params: { path: { id } }, body: { active: !active } })),
    {
      changes: ['partner', 'partners', 'audit', 'promotions'],
      done: () => (active ? t.deactivated : t.activated),
    },
  );
  const action = active ? t.deactivate : t.activate;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={action}
      action={action}
      danger={active}
      consequence={active ? t.deactivateConsequence : t.activateConsequence}
      act={act}
      inputOf={() => ({ input: undefined })}
    >
      {active && <Affected id={id} />}
    </Dialog>
  );
}

function Affected({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['deactivation', id],
    queryFn: () => answerOf(managerApi.GET('/admin/partners/{id}/deactivation', { params: { path: { id } } })),
    staleTime: 0,
  });
  return (
    <Loaded query={query}>
      {({ tokens, promotionCode, heldSales, pendingSales, recentSales }) => (
        <List size="sm">
          {[
            t.affected.tokens(tokens),
            t.affected.purchases(promotionCode),
            t.affected.held(heldSales),
            t.affected.pending(pendingSales),
            t.affected.recent(recentSales),
          ].map((line) => (
            <List.Item key={line}>
              <Text size="sm">{line}</Text>
            </List.Item>
          ))}
        </List>
      )}
    </Loaded>
  );
}
