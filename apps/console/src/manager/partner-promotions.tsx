import { Button, NumberInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { ApiError, refusalOf, toApiError } from '../api/problem';
import { useAct } from '../api/use-act';
import { Dialog, Subject } from '../components/dialog';
import { Empty } from '../components/empty';
import { List } from '../components/list-page';
import { Status } from '../components/status';
import { Time } from '../components/time';
import { useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { partnersTexts } from '../texts/partners';

const t = partnersTexts.promotions;
type Promotion = components['schemas']['Promotion'];

/** Lists the promotions of a partner. At most one of them is active. */
export default function PartnerPromotions({ partner: { id } }: { partner: components['schemas']['Partner'] }) {
  const { cursor, goTo } = useFilters([]);
  const [adding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['promotions', id, cursor],
    queryFn: () =>
      answerOf(managerApi.GET('/admin/partners/{id}/promotions', { params: { path: { id }, query: { cursor } } })),
  });
  const current = query.data?.items.find(({ active }) => active)?.code ?? null;
  // False if the list has more than one page, because another page could contain the active promotion.
  const isWithoutActive =
    cursor === undefined && query.data?.nextCursor === null && !query.data.items.some(({ active }) => active);
  const add = (
    <Button size="xs" onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  );
  return (
    <Stack>
      <div>{add}</div>
      <List
        label={partnersTexts.tabs.promotions}
        query={query}
        idOf={(promotion) => promotion.id}
        cursor={cursor}
        goTo={goTo}
        empty={<Empty title={t.emptyTitle}>{t.empty}</Empty>}
        columns={[
          { title: t.code, cell: ({ code }) => code },
          { title: t.percent, align: 'right', cell: ({ percentOff }) => `${percentOff}%` },
          {
            title: partnersTexts.active,
            cell: ({ active }) => (
              <Status
                value={active ? 'active' : 'ended'}
                text={active ? partnersTexts.active : partnersTexts.inactive}
              />
            ),
          },
          { title: partnersTexts.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
          { title: t.ended, cell: ({ deactivatedAt }) => <Time value={deactivatedAt} /> },
          { title: '', cell: (promotion) => <Switch promotion={promotion} current={current} /> },
        ]}
      />
      {adding && (
        <AddPromotion partnerId={id} replaces={!isWithoutActive} current={current} onClose={() => setAdding(false)} />
      )}
    </Stack>
  );
}

interface SwitchProps {
  readonly promotion: Promotion;
  /** The code of the active promotion; null if none is active, or if the active one is not on this page of the list. */
  readonly current: string | null;
}

/** A button that switches a promotion off or on, after a confirmation. */
function Switch(props: SwitchProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setOpened(true)}>
        {props.promotion.active ? t.stop : t.start}
      </Button>
      {opened && <ConfirmSwitch {...props} onClose={() => setOpened(false)} />}
    </>
  );
}

function ConfirmSwitch({ onClose, ...shown }: SwitchProps & { onClose: () => void }) {
  // Keeps the promotion as it was when the dialog was opened: the list loads again after the action, and a second press must not undo the action.
  const [{ promotion, current }] = useState(shown);
  const { id, active, code, percentOff } = promotion;
  const act = useAct(
    () => answerOf(managerApi.PATCH('/admin/promotions/{id}', { params: { path: { id } }, body: { active: !active } })),
    { changes: ['promotions'], done: () => t.changed },
  );
  const action = active ? t.stop : t.start;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={action}
      consequence={
        <>
          <Subject>{t.named(code, percentOff)}</Subject>
          {active ? t.stopConsequence : t.startConsequence(current)}
        </>
      }
      action={action}
      danger={active}
      act={act}
      inputOf={() => ({ input: undefined })}
    />
  );
}

/** Rethrows an error. If another promotion has the code, the error becomes an error of the field `code`. */
function rethrow(error: unknown): never {
  const { code, message, status, requestId } = toApiError(error);
  if (code !== 'promotion_code_taken') throw error;
  throw new ApiError(message, status, code, requestId, [{ field: 'code', message: t.codeTaken }]);
}

interface AddPromotionProps {
  readonly partnerId: string;
  /** Whether the new promotion replaces an active one. Also true if it is not known whether a promotion is active. */
  readonly replaces: boolean;
  /** The code of the active promotion; null if none is active, or if the active one is not known. */
  readonly current: string | null;
  readonly onClose: () => void;
}

function AddPromotion({ partnerId: id, replaces: replacesNow, current: currentNow, onClose }: AddPromotionProps) {
  // The list loads again before the dialog closes, and must not change the text of the dialog.
  const [{ replaces, current }] = useState({ replaces: replacesNow, current: currentNow });
  const form = useForm<{ code: string; percentOff: number | string }>({
    initialValues: { code: '', percentOff: 10 },
    validate: {
      code: (code) => (code.trim() === '' ? t.codeRequired : null),
      percentOff: (percent) => (typeof percent === 'number' ? null : partnersTexts.number),
    },
  });
  const act = useAct(
    (body: { code: string; percentOff: number }) =>
      answerOf(managerApi.POST('/admin/partners/{id}/promotions', { params: { path: { id } }, body })).catch(rethrow),
    { changes: ['promotions'], done: () => t.added },
  );
  const inputOf = () => {
    if (form.validate().hasErrors) return undefined;
    return { input: { code: form.values.code.trim(), percentOff: Number(form.values.percentOff) } };
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t.add}
      consequence={replaces ? t.replaces(current) : t.consequence}
      action={t.add}
      act={act}
      inputOf={inputOf}
      shown={['code', 'percentOff']}
    >
      <TextInput
        label={t.code}
        required
        {...form.getInputProps('code')}
        error={form.errors.code ?? refusalOf(act.error, 'code')}
      />
      <NumberInput
        label={t.percent}
        min={1}
        max={100}
        allowDecimal={false}
        required
        {...form.getInputProps('percentOff')}
        error={form.errors.percentOff ?? refusalOf(act.error, 'percentOff')}
      />
    </Dialog>
  );
}
