import { Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Empty, NoMatch } from '../components/empty';
import { Link } from '../components/link';
import { ChoiceFilter, Filters, List } from '../components/list-page';
import { Page } from '../components/page';
import { Status } from '../components/status';
import { Time } from '../components/time';
import { given, useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { applicationsTexts as t } from '../texts/applications';
import { texts } from '../texts/common';
import { ApproveApplication, RejectApplication } from './decide-application';

type Application = components['schemas']['PartnerApplication'];

/** Lists applications of companies that want to become partners. A manager approves or rejects them. */
export default function ApplicationsPage() {
  const { values, cursor, set, goTo, clear, round, isFiltered } = useFilters(['status']);
  const query = useQuery({
    queryKey: ['applications', values, cursor],
    queryFn: () => {
      const status = given(values.status) as Application['status'] | undefined;
      return answerOf(managerApi.GET('/admin/applications', { params: { query: { status, cursor, limit: 50 } } }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: cursor === undefined ? LIVE_MS : false,
  });
  return (
    <Page title={t.title}>
      <Filters isFiltered={isFiltered} clear={clear} round={round}>
        <ChoiceFilter
          label={t.status}
          value={values.status}
          onChange={(value) => set('status', value)}
          choices={t.statuses}
        />
      </Filters>
      <List
        label={t.title}
        query={query}
        idOf={({ id }) => id}
        cursor={cursor}
        goTo={goTo}
        minWidth={980}
        empty={
          isFiltered ? <NoMatch title={t.noMatchTitle} clear={clear} /> : <Empty title={t.emptyTitle}>{t.empty}</Empty>
        }
        columns={[
          { title: t.received, cell: ({ createdAt }) => <Time value={createdAt} /> },
          { title: t.company, cell: (application) => <Company application={application} /> },
          { title: t.kind, cell: ({ kind }) => texts.kinds[kind] },
          { title: t.contact, cell: (application) => <Contact application={application} /> },
          { title: t.message, cell: ({ message }) => <Text size="sm">{message ?? texts.none}</Text> },
          { title: t.status, cell: (application) => <Decision application={application} /> },
        ]}
      />
    </Page>
  );
}

/** Shows the website as text, not as a link, because the applicant entered it. */
function Company({ application: { companyName, website } }: { application: Application }) {
  return (
    <Stack gap={2}>
      <Text size="sm">{companyName}</Text>
      {website && (
        <Text size="xs" c="dimmed">
          {website}
        </Text>
      )}
    </Stack>
  );
}

function Contact({ application: { contactName, email } }: { application: Application }) {
  return (
    <Stack gap={2}>
      {contactName && <Text size="sm">{contactName}</Text>}
      <Text size="sm">{email}</Text>
    </Stack>
  );
}

/** Shows the buttons to decide a pending application, or the decision. */
function Decision({ application }: { application: Application }) {
  const { status, partnerId, note } = application;
  if (status === 'pending') {
    return (
      <Group gap="xs" wrap="nowrap">
        <ApproveApplication application={application} />
        <RejectApplication application={application} />
      </Group>
    );
  }
  return (
    <Stack gap={2}>
      <Status value={status === 'approved' ? 'active' : 'ended'} text={t.statuses[status]} />
      {partnerId && <Link to={`/partners/${partnerId}`}>{t.partner}</Link>}
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  );
}
