import { Button, Group, List, Paper, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { Dialog, Subject } from '../components/dialog';
import { Failure } from '../components/failure';
import { Loaded } from '../components/loaded';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts as t } from '../texts/partners';
import {
  PARTNER_FIELDS,
  partnerChangesOf,
  PartnerFields,
  type PartnerValues,
  partnerValuesOf,
  unsentOf,
  usePartnerForm,
} from './partner-form';

type Partner = components['schemas']['Partner'];

/** The settings of a partner that a manager can change, and the button that deactivates or activates the partner. */
export default function PartnerSettings({ partner }: { partner: Partner }) {
  const { id } = partner;
  const form = usePartnerForm(partner);
  /** The values that the last request sent. Input that the user types while the request runs is kept. */
  const sent = useRef(form.values);
  const act = useAct(
    (body: ReturnType<typeof partnerChangesOf>) =>
      answerOf(managerApi.PATCH('/admin/partners/{id}', { params: { path: { id } }, body })),
    {
      changes: ['partner', 'partners', 'audit'],
      done: () => t.changed,
      onDone: (stored) => {
        const initial = partnerValuesOf(stored);
        form.setInitialValues(initial);
        form.setValues({ ...initial, ...unsentOf(form.getValues(), sent.current) });
      },
    },
  );
  const save = (values: PartnerValues): void => {
    const changes = partnerChangesOf(values, form.getInitialValues(), partner.kind);
    if (Object.keys(changes).length > 0) {
      if (act.isPending) return undefined;
      sent.current = values;
      return act.mutate(changes);
    }
    act.reset();
    notifications.show({ message: t.unchanged });
  };
  const [opened, setOpened] = useState(false);
  return (
    <Stack maw={560}>
      <Paper withBorder p="md">
        <form onSubmit={form.onSubmit(save)} noValidate>
          <Stack>
            <PartnerFields form={form} kind={partner.kind} contact={partner.contactEmail} error={act.error} />
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

/** A dialog that shows what a deactivation affects, and deactivates the partner. For an inactive partner, the dialog activates the partner again. */
function Activity({ partner: shown, onClose }: { partner: Partner; onClose: () => void }) {
  // Keeps the partner as it was when the dialog was opened: the partner loads again after the action, and a second press must not undo the action.
  const [partner] = useState(shown);
  const { id, active } = partner;
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
      consequence={
        <>
          <Subject>{partner.name}</Subject>
          {active ? t.deactivateUndo : t.activateConsequence}
        </>
      }
      act={act}
      inputOf={() => ({ input: undefined })}
    >
      {active && <Affected partner={partner} />}
    </Dialog>
  );
}

function Affected({ partner: { id, kind } }: { partner: Partner }) {
  const query = useQuery({
    queryKey: ['deactivation', id],
    queryFn: () => answerOf(managerApi.GET('/admin/partners/{id}/deactivation', { params: { path: { id } } })),
    staleTime: 0,
  });
  return <Loaded query={query}>{(counts) => <Effects lines={effectsOf(kind, counts)} />}</Loaded>;
}

const Effects = ({ lines }: { lines: readonly string[] }) => (
  <Stack gap="xs">
    {lines.length === 0 && <Text size="sm">{t.affected.nothing}</Text>}
    <Text size="sm">{t.deactivateConsequence}</Text>
    <List size="sm">
      {[...lines, t.affected.links].map((line) => (
        <List.Item key={line}>
          <Text size="sm">{line}</Text>
        </List.Item>
      ))}
    </List>
  </Stack>
);

/** Describes what a deactivation affects. Leaves out every kind of object of which the partner has none, such as held sales. */
function effectsOf(kind: Partner['kind'], counts: components['schemas']['Deactivation']): string[] {
  const { tokens, promotionCode, heldSales, pendingSales, recentSales } = counts;
  const isUsed = promotionCode !== null || tokens + heldSales + pendingSales + recentSales > 0;
  return [
    ...(tokens > 0 ? [t.affected.tokens(tokens)] : []),
    ...(kind === 'promotion' && isUsed ? [t.affected.purchases(promotionCode)] : []),
    ...(heldSales > 0 ? [t.affected.held(heldSales)] : []),
    ...(pendingSales > 0 ? [t.affected.pending(pendingSales)] : []),
    ...(recentSales > 0 ? [t.affected.recent(recentSales)] : []),
  ];
}
