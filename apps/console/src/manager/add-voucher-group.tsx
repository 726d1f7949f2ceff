import { NumberInput, SegmentedControl, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type RefObject, useRef } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { refusalOf } from '../api/problem';
import { useAct } from '../api/use-act';
import { DAY_FIELD, isDayOrEmpty } from '../components/days';
import { Dialog } from '../components/dialog';
import { dayStart } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts } from '../texts/partners';
import type { Environment } from './queries';

const t = partnersTexts.vouchers;
type Body = components['schemas']['CreateVoucherGroupBody'];

/** The names that the API uses for the fields of the form. */
const FIELDS = {
  name: 'name',
  product: 'product.name',
  tier: 'product.tier',
  periodMonths: 'product.periodMonths',
  currency: 'currency',
  stock: 'stock',
  validFrom: 'validFrom',
  lastDay: 'validUntil',
} as const;

const INITIAL = {
  name: '',
  product: '',
  tier: '',
  periodMonths: 12 as number | string,
  currency: 'USD',
  environment: 'live' as Environment,
  stock: '' as number | string,
  validFrom: '',
  lastDay: '',
};

/** The number of columns for a pair of fields, which are side by side if there is room. */
const PAIR = { base: 1, xs: 2 };
/** The order of a field's parts. Descriptions are below the inputs, where their different heights do not move inputs that are side by side. */
const BELOW = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[];

const bodyOf = (values: typeof INITIAL): Body => ({
  name: values.name.trim(),
  product: {
    name: values.product.trim(),
    tier: values.tier.trim(),
    periodMonths: Number(values.periodMonths),
  },
  currency: values.currency.trim().toUpperCase(),
  environment: values.environment,
  stock: values.stock === '' ? null : Number(values.stock),
  validFrom: dayStart(values.validFrom),
  validUntil: dayStart(values.lastDay, 1) ?? null,
});

/** Returns why a day is refused; null if it is valid or empty. Reads the field itself, because an incomplete date has the value of an empty field. */
const dayProblemOf = ({ current }: RefObject<HTMLInputElement | null>): string | null =>
  current === null || isDayOrEmpty(current) ? null : t.dayInvalid;

/** A dialog that adds a voucher group to a partner. */
export function AddVoucherGroup({ partnerId: id, onClose }: { partnerId: string; onClose: () => void }) {
  const validFrom = useRef<HTMLInputElement>(null);
  const lastDay = useRef<HTMLInputElement>(null);
  const form = useForm({
    initialValues: INITIAL,
    validate: {
      name: (name) => (name.trim() === '' ? partnersTexts.nameRequired : null),
      product: (name) => (name.trim() === '' ? t.productRequired : null),
      periodMonths: (months) => (typeof months === 'number' ? null : partnersTexts.number),
      stock: (stock) => (stock === '' || typeof stock === 'number' ? null : partnersTexts.number),
      currency: (currency) => (/^[A-Z]{3}$/i.test(currency.trim()) ? null : t.currencyRequired),
      validFrom: () => dayProblemOf(validFrom),
      lastDay: () => dayProblemOf(lastDay),
    },
  });
  const act = useAct(
    (body: Body) =>
      answerOf(managerApi.POST('/admin/partners/{id}/voucher-groups', { params: { path: { id } }, body })),
    { changes: ['voucher-groups', 'audit'], done: ({ name }) => t.added(name), reloadsAfterFailure: true },
  );
  // The only day that the API refuses is a last day before the first day.
  const textOf = (field: keyof typeof FIELDS, refusal: string | undefined) =>
    refusal && field === 'lastDay' ? t.lastDayTooEarly : refusal;
  const inputOf = (field: keyof typeof FIELDS) => ({
    ...form.getInputProps(field),
    inputWrapperOrder: BELOW,
    error: form.errors[field] ?? textOf(field, refusalOf(act.error, FIELDS[field])),
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t.add}
      consequence={t.consequence}
      action={t.add}
      act={act}
      inputOf={() => (form.validate().hasErrors ? undefined : { input: bodyOf(form.values) })}
      shown={Object.values(FIELDS)}
      whenUncertain={t.checkList}
    >
      <SegmentedControl
        aria-label={texts.environment}
        {...form.getInputProps('environment')}
        data={Object.entries(texts.environments).map(([value, label]) => ({ value, label }))}
      />
      <TextInput label={t.groupName} required maxLength={200} {...inputOf('name')} />
      <SimpleGrid cols={PAIR}>
        <TextInput label={t.product} description={t.productHint} required maxLength={200} {...inputOf('product')} />
        <TextInput label={t.tier} description={t.tierHint} maxLength={200} {...inputOf('tier')} />
      </SimpleGrid>
      <SimpleGrid cols={PAIR}>
        <NumberInput label={t.period} min={1} max={1200} allowDecimal={false} required {...inputOf('periodMonths')} />
        <TextInput label={t.currency} description={t.currencyHint} required maxLength={3} {...inputOf('currency')} />
      </SimpleGrid>
      <NumberInput label={t.stock} description={t.stockHint} min={0} allowDecimal={false} {...inputOf('stock')} />
      <SimpleGrid cols={PAIR}>
        <TextInput
          label={t.validFrom}
          description={t.validFromHint}
          ref={validFrom}
          {...DAY_FIELD}
          {...inputOf('validFrom')}
        />
        <TextInput label={t.lastDay} description={t.lastDayHint} ref={lastDay} {...DAY_FIELD} {...inputOf('lastDay')} />
      </SimpleGrid>
    </Dialog>
  );
}
