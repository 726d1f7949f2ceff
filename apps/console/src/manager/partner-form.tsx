import { Checkbox, NumberInput, Stack, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { refusalOf } from '../api/problem';
import type { components } from '../generated/manager-api';
import { partnersTexts as t } from '../texts/partners';

type Partner = components['schemas']['Partner'];

export interface PartnerValues {
  name: string;
  contactEmail: string;
  removesContact: boolean;
  revokeWindowDays: number | string;
  concurrency: number | string;
}

/** The names that the API uses for the fields whose errors the form shows. */
export const PARTNER_FIELDS = ['name', 'contactEmail', 'revokeWindowDays', 'endpointLimits.concurrency'];

/** Returns the values of the form for a stored partner or, without one, for a new partner. */
export const partnerValuesOf = (partner?: Partner): PartnerValues => ({
  name: partner?.name ?? '',
  // The field starts empty, and its description shows the stored address. If it stays empty, the address is not changed.
  contactEmail: '',
  removesContact: false,
  revokeWindowDays: partner?.revokeWindowDays ?? 30,
  concurrency: partner?.endpointLimits.concurrency ?? '',
});

export const usePartnerForm = (partner?: Partner) =>
  useForm<PartnerValues>({
    initialValues: partnerValuesOf(partner),
    validate: {
      name: (name) => (name.trim() === '' ? t.nameRequired : null),
      revokeWindowDays: (days) => (typeof days === 'number' ? null : t.number),
    },
  });

/** Returns the body of a request for a new partner. A voucher partner has no sales and no endpoint, so their settings are left out. */
export const partnerBodyOf = (
  { name, contactEmail, removesContact, revokeWindowDays, concurrency }: PartnerValues,
  kind: Partner['kind'],
) => ({
  name: name.trim(),
  ...(contactEmail.trim() && { contactEmail: contactEmail.trim() }),
  ...(removesContact && { contactEmail: null }),
  ...(kind === 'promotion' && {
    revokeWindowDays: Number(revokeWindowDays),
    endpointLimits: { concurrency: concurrency === '' ? null : Number(concurrency) },
  }),
});

/**
 * Returns the body of a request that changes a partner. The body contains only the fields that differ from the form's initial values, so that the
 * request does not undo changes by other managers.
 */
export function partnerChangesOf(
  values: PartnerValues,
  initial: PartnerValues,
  kind: Partner['kind'],
): Partial<ReturnType<typeof partnerBodyOf>> {
  const { name, revokeWindowDays, endpointLimits, ...contact } = partnerBodyOf(values, kind);
  return {
    ...contact,
    ...(name !== initial.name && { name }),
    ...(values.revokeWindowDays !== initial.revokeWindowDays && { revokeWindowDays }),
    ...(values.concurrency !== initial.concurrency && { endpointLimits }),
  };
}

/** Returns the values that the user has changed since they were sent. */
export const unsentOf = (values: PartnerValues, sent: PartnerValues): Partial<PartnerValues> =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== sent[name as keyof PartnerValues]));

interface PartnerFieldsProps {
  readonly form: UseFormReturnType<PartnerValues>;
  readonly kind: Partner['kind'];
  /** The error of the last request; null when there is none. */
  readonly error: unknown;
  /** The stored e-mail address. */
  readonly contact?: string | null;
}

export function PartnerFields({ form, kind, error, contact }: PartnerFieldsProps) {
  const hints = [...(kind === 'promotion' ? [t.contactHint] : []), ...(contact ? [t.contactStored(contact)] : [])];
  return (
    <Stack gap="sm">
      <TextInput
        label={t.name}
        required
        {...form.getInputProps('name')}
        error={form.errors.name ?? refusalOf(error, 'name')}
        maxLength={200}
      />
      <TextInput
        label={t.contact}
        description={hints.join(' ')}
        type="email"
        {...form.getInputProps('contactEmail')}
        error={refusalOf(error, 'contactEmail')}
        disabled={form.values.removesContact}
      />
      {contact && <Checkbox label={t.removeContact} {...form.getInputProps('removesContact', { type: 'checkbox' })} />}
      {kind === 'promotion' && (
        <>
          <NumberInput
            label={t.window}
            min={0}
            max={90}
            allowDecimal={false}
            {...form.getInputProps('revokeWindowDays')}
            error={form.errors.revokeWindowDays ?? refusalOf(error, 'revokeWindowDays')}
          />
          <NumberInput
            label={t.limit}
            description={t.limitHint}
            min={1}
            allowDecimal={false}
            {...form.getInputProps('concurrency')}
            error={refusalOf(error, 'endpointLimits.concurrency')}
          />
        </>
      )}
    </Stack>
  );
}
