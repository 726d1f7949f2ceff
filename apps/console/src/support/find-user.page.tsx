import { Button, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { answerOf, supportApi } from '../api/clients';
import { toApiError } from '../api/problem';
import { useAct } from '../api/use-act';
import { DataTable } from '../components/data-table';
import { Empty } from '../components/empty';
import { Failure } from '../components/failure';
import { Link } from '../components/link';
import { Page } from '../components/page';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { useRight } from '../session/session';
import { findTexts as t } from '../texts/find-user';
import { isKrn } from './krn';

type Kind = keyof typeof t.kinds;
type Found = components['schemas']['FoundUser'];

const pathOf = (krn: string): string => `/support/users/${encodeURIComponent(krn)}`;

/** A phone number, as the API accepts it. */
const PHONE = /^\+?(?:[ ().-]*\d){10,15}$/;

/** Matches an id that a table has shortened. Any other text can be a subscription id, because billing chooses the form of these ids. */
const SHORTENED = /…|\.\.\.$/;

/** Returns whether a value looks like an e-mail address or a phone number, which must not become part of a URL. */
const isContact = (value: string): boolean => value.includes('@') || PHONE.test(value);

/**
 * Returns the kind that the form of a value proves or, if the form proves nothing, the chosen kind. If the user chose the subscription id, the form is
 * not considered, because a subscription id can have any form.
 */
function kindOf(value: string, chosen: Kind): Kind {
  if (chosen === 'subscriptionId') return chosen;
  if (value.includes('@')) return 'email';
  return PHONE.test(value) ? 'phone' : chosen;
}

/** The start page of support. Only a KRN and a subscription id become part of a URL: the other search values may be personal data. */
export default function FindUserPage() {
  const navigate = useNavigate();
  const [kind, setKind] = useState<Kind>('email');
  const [value, setValue] = useState('');
  const [error, setError] = useState<string>();
  const search = useAct(
    (body: { readonly [kind in Kind]?: string }) => answerOf(supportApi.POST('/idp/support/users/search', { body })),
    {
      changes: [],
      onDone: ({ items: [first, ...others] }) => {
        if (first && others.length === 0) void navigate(pathOf(first.user_id));
      },
    },
  );
  const isRefused = search.error !== null && [400, 422].includes(toApiError(search.error).status);
  const change = (to: { kind?: Kind; value?: string }): void => {
    if (to.kind) setKind(to.kind);
    setValue(to.value ?? '');
    setError(undefined);
    search.reset();
  };
  const show = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = value.trim();
    const by = kindOf(wanted, kind);
    if (wanted === '') setError(t.missing);
    else if (isKrn(wanted)) void navigate(pathOf(wanted));
    else if (by === 'krn') setError(t.invalid.krn);
    else if (by === 'subscriptionId' && SHORTENED.test(wanted)) setError(t.shortened);
    else {
      setKind(by);
      setError(undefined);
      search.mutate({ [by]: wanted });
    }
  };
  return (
    <Page title={t.title}>
      <Text size="sm" c="dimmed">
        {t.lead}
      </Text>
      <Paper withBorder p="md" maw={760}>
        <form onSubmit={show} noValidate>
          <Stack gap="sm">
            <Group align="flex-start">
              <NativeSelect
                label={t.by}
                value={kind}
                data={Object.entries(t.kinds).map(([id, label]) => ({ value: id, label }))}
                onChange={({ currentTarget }) => change({ kind: currentTarget.value as Kind })}
              />
              <TextInput
                label={t.kinds[kind]}
                description={t.hints[kind]}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                value={value}
                error={error ?? (isRefused ? t.invalid[kind] : undefined)}
                autoComplete="off"
                onChange={({ currentTarget }) => change({ value: currentTarget.value })}
                style={{ flex: '1 1 280px' }}
                data-autofocus
              />
            </Group>
            <Group>
              <Button type="submit" loading={search.isPending}>
                {t.show}
              </Button>
            </Group>
          </Stack>
        </form>
      </Paper>
      <Failure error={isRefused ? null : search.error} />
      {search.data && <Results found={search.data.items} kind={kind} value={value.trim()} />}
    </Page>
  );
}

/** Lists the users that were found, so that support can choose one. If only one was found, the page of that user opens directly. */
function Results({ found, kind, value }: { found: readonly Found[]; kind: Kind; value: string }) {
  const seesSales = useRight('partner:manage');
  if (found.length === 0) {
    const toSale = kind === 'subscriptionId' && seesSales && !isContact(value) && (
      <Link to={`/sales/${encodeURIComponent(value)}`}>{t.toSale}</Link>
    );
    return (
      <Empty title={t.none} action={toSale}>
        {t.noneHints[kind]}
      </Empty>
    );
  }
  if (found.length === 1) return null;
  return (
    <>
      <Text size="sm" role="status">
        {t.several(found.length)}
      </Text>
      <DataTable
        label={t.found}
        rows={found}
        idOf={(user) => user.user_id}
        columns={[
          { title: t.user, cell: ({ user_id: krn }) => <Link to={pathOf(krn)}>{krn}</Link> },
          { title: t.profile, cell: ({ has_profile: hasProfile }) => (hasProfile ? texts.yes : texts.no) },
        ]}
      />
    </>
  );
}
