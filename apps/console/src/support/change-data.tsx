import { Fieldset, SimpleGrid, Stack, TextInput, type TextInputProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { answerOf, supportApi } from '../api/clients';
import { ApiError, type FieldProblem, refusalOf, toApiError } from '../api/problem';
import { useAct } from '../api/use-act';
import { Dialog } from '../components/dialog';
import type { components } from '../generated/support-api';
import { changeDataTexts as t } from '../texts/change-data';
import { digitsOf, isEmpty, problemsOf, type Values } from './personal-data';
import { REASON_HEADER, ReasonField, reasonHeader, reasonProblemOf } from './reason';

type Body = components['schemas']['SupportChangeBody'];
/** The names that the API uses for the fields. */
type Field = keyof typeof t.invalid;

const FIELDS = Object.keys(t.invalid) as Field[];
const INITIAL: Values = {
  reason: '',
  ssn: '',
  dob: '',
  emailAddress: '',
  phoneNumber: '',
  address: { street: '', city: '', state: '', zip: '' },
};

const PAIR = { base: 1, xs: 2 };
/** Keeps the browser from storing and completing personal data, and from sending it to a service that checks the spelling. */
const PRIVATE = { autoComplete: 'off', spellCheck: false } as const;

/**
 * Returns the fields that are filled in. The API requires the Social Security number; an address, if there is one, must be
 * complete.
 */
function bodyOf({ ssn, dob, emailAddress, phoneNumber, address: { street, city, state, zip } }: Values): Body {
  return {
    ssn: digitsOf(ssn),
    ...(dob && { dob }),
    ...(!isEmpty(emailAddress) && { emailAddress: emailAddress.trim() }),
    ...(!isEmpty(phoneNumber) && { phoneNumber: digitsOf(phoneNumber) }),
    ...(!isEmpty(street) && {
      address: { street: street.trim(), city: city.trim(), state: state.trim(), zip: zip.trim() },
    }),
  };
}

/** Returns the fields that the API refused. The support API names them only in the message: `ssn: <why>; address.zip: <why>`. */
const refusedIn = ({ status, message }: ApiError): FieldProblem[] =>
  status !== 400
    ? []
    : message.split('; ').flatMap((part) => {
        const [, field, why] = /^([\w.-]+): (.+)$/.exec(part) ?? [];
        return field && why ? [{ field, message: why }] : [];
      });

/** Returns an error that names the refused fields, and says what to do if the API's message has a known meaning. */
function explained(error: unknown): ApiError {
  const known = toApiError(error);
  const { message, status, code, requestId } = known;
  const text = Object.hasOwn(t.unchanged, message) ? (t.unchanged[message] as string) : message;
  return new ApiError(text, status, code, requestId, refusedIn(known));
}

/** A dialog in which support changes the personal data of a user. It starts empty, because stored data is never shown. */
export function ChangeData({ krn, onClose }: { krn: string; onClose: () => void }) {
  const queries = useQueryClient();
  const dob = useRef<HTMLInputElement>(null);
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  const form = useForm({
    initialValues: INITIAL,
    validate: (values) => ({
      reason: reasonProblemOf(values.reason),
      ...problemsOf(values, today),
      // An incomplete date has the value of an empty field, and so has a day such as 31 February.
      ...(dob.current?.validity.badInput && { dob: t.noSuchDay }),
    }),
  });
  const act = useAct(
    async (values: Values) => {
      const params = { path: { user_id: krn }, header: reasonHeader(values.reason) };
      const call = supportApi.PATCH('/idp/support/users/{user_id}', { params, body: bodyOf(values) });
      await answerOf(call).catch((error: unknown) => {
        throw explained(error);
      });
    },
    { changes: ['user'], done: () => t.changed },
  );
  const close = (): void => {
    onClose();
    // After a failure, the page must show the attempt, and what the platform still has to do at the vendor.
    if (act.isError) void queries.invalidateQueries({ queryKey: ['user'] });
  };
  const known = Object.entries(t.unchanged).find(([, words]) => words === act.error?.message)?.[0];
  const propsOf = (field: Field): TextInputProps => ({
    ...PRIVATE,
    // Descriptions are below the inputs. There, descriptions of different heights do not move inputs that are side by side.
    inputWrapperOrder: ['label', 'input', 'description', 'error'],
    ...form.getInputProps(field),
    error: form.errors[field] ?? (refusalOf(act.error, field) && t.invalid[field]),
  });
  return (
    <Dialog
      opened
      onClose={close}
      title={t.action}
      consequence={
        <Stack gap="xs">
          <div>{t.consequence}</div>
          <div>{t.notShown}</div>
        </Stack>
      }
      action={t.action}
      act={act}
      inputOf={() => (form.validate().hasErrors ? undefined : { input: form.getValues() })}
      shown={[REASON_HEADER, ...FIELDS]}
      whenUncertain={known === undefined ? t.uncertain : undefined}
      failureTitle={known === undefined ? undefined : t.titles[known]}
    >
      <ReasonField
        {...form.getInputProps('reason')}
        error={form.errors['reason'] ?? refusalOf(act.error, REASON_HEADER)}
      />
      <TextInput label={t.ssn} description={t.ssnHint} required inputMode="numeric" {...propsOf('ssn')} />
      <SimpleGrid cols={PAIR}>
        {/* Without a maximum, browsers accept years with six digits. The API checks the age. */}
        <TextInput label={t.dob} type="date" max={today} ref={dob} {...propsOf('dob')} />
        <TextInput label={t.phone} type="tel" {...propsOf('phoneNumber')} />
      </SimpleGrid>
      <TextInput label={t.email} type="email" {...propsOf('emailAddress')} />
      <Fieldset legend={t.address}>
        <TextInput label={t.street} description={t.addressHint} {...propsOf('address.street')} />
        <SimpleGrid cols={PAIR} mt="xs">
          <TextInput label={t.city} {...propsOf('address.city')} />
          <TextInput label={t.state} description={t.stateHint} {...propsOf('address.state')} />
          <TextInput label={t.zip} inputMode="numeric" {...propsOf('address.zip')} />
        </SimpleGrid>
      </Fieldset>
    </Dialog>
  );
}
