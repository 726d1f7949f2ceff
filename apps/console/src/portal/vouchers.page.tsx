import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answerOf, partnerApi } from '../api/clients';
import { CopyIcon } from '../components/copyable';
import { DataTable } from '../components/data-table';
import { Empty, NoMatch } from '../components/empty';
import { ChoiceFilter, List } from '../components/list-page';
import { Loaded } from '../components/loaded';
import { Page } from '../components/page';
import { Status } from '../components/status';
import { Time } from '../components/time';
import { given, useFilters } from '../components/use-filters';
import type { components } from '../generated/partner-api';
import { useRight } from '../session/session';
import { partnersTexts } from '../texts/partners';
import { portalTexts } from '../texts/portal';
import { CreateCoupons } from './create-coupons';
import { ExportCoupons } from './export-coupons';

const t = portalTexts.vouchers;
const g = partnersTexts.vouchers;
/** The height of the console's header plus some space below the header, in px. */
const BELOW_HEADER = 72;

/** The partner's voucher groups, and the coupons of the selected group. */
export default function VouchersPage() {
  const mayCreate = useRight('vouchers:create');
  const { values, cursor, set, goTo } = useFilters(['group', 'status']);
  // How many times the user has asked for the coupons of a group. Each time, the page scrolls to the coupons.
  const [shown, setShown] = useState(0);
  const show = (group: string): void => {
    set('group', group);
    setShown((times) => times + 1);
  };
  const query = useQuery({
    queryKey: ['voucher-groups', 'own'],
    queryFn: () => answerOf(partnerApi.GET('/api/v2/partner/subscription/voucher-group')),
  });
  return (
    <Page title={t.title}>
      <Text size="sm" c="dimmed">
        {t.lead}
      </Text>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t.emptyTitle}>{t.empty}</Empty>
          ) : (
            <DataTable
              label={t.groups}
              rows={items}
              idOf={({ id }) => id}
              minWidth={860}
              columns={[
                { title: g.name, cell: ({ name }) => name },
                { title: g.product, cell: ({ product }) => `${product.name}, ${g.months(product.periodMonths)}` },
                { title: g.issued, align: 'right', cell: ({ issued }) => issued },
                { title: g.redeemed, align: 'right', cell: ({ redeemed }) => redeemed },
                { title: g.remaining, align: 'right', cell: ({ remaining }) => remaining ?? g.unlimited },
                { title: g.validUntil, cell: ({ validUntil }) => <Time value={validUntil} /> },
                {
                  title: '',
                  cell: (group) => (
                    <Group gap={6} wrap="nowrap">
                      <Button
                        size="compact-xs"
                        variant={group.id === values.group ? 'filled' : 'default'}
                        aria-current={group.id === values.group}
                        onClick={() => show(group.id)}
                      >
                        {t.show}
                      </Button>
                      {mayCreate && group.status === 'active' && (
                        <CreateCoupons group={group} onDone={() => show(group.id)} />
                      )}
                    </Group>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {values.group && (
        <Coupons
          group={values.group}
          name={query.data?.items.find(({ id }) => id === values.group)?.name}
          shown={shown}
          status={values.status}
          cursor={cursor}
          onStatus={(value) => set('status', value)}
          goTo={goTo}
        />
      )}
    </Page>
  );
}

interface CouponsProps {
  readonly group: string;
  /** The name of the group; undefined while it is loading, or if the group is not in the list. */
  readonly name: string | undefined;
  /** Increases each time the coupons must be scrolled into view; 0 until the first time. */
  readonly shown: number;
  readonly status: string;
  readonly cursor: string | undefined;
  readonly onStatus: (status: string | null) => void;
  readonly goTo: (cursor: string | null) => void;
}

function Coupons({ group, name, shown, status, cursor, onStatus, goTo }: CouponsProps) {
  const mayCreate = useRight('vouchers:create');
  const wanted = given(status) as components['schemas']['Coupon']['status'] | undefined;
  const query = useQuery({
    queryKey: ['coupons', group, status, cursor],
    queryFn: () => {
      const filters = { voucherGroupId: group, status: wanted, cursor };
      return answerOf(partnerApi.GET('/api/v2/partner/subscription/vouchers', { params: { query: filters } }));
    },
  });
  const section = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (shown === 0) return;
    section.current?.scrollIntoView({ block: 'nearest' });
    heading.current?.focus({ preventScroll: true });
  }, [group, shown]);
  const title = name === undefined ? t.coupons : t.couponsOf(name);
  return (
    <Stack ref={section} style={{ scrollMarginTop: BELOW_HEADER }}>
      <Title ref={heading} tabIndex={-1} order={2} style={{ overflowWrap: 'anywhere' }}>
        {title}
      </Title>
      <Group align="flex-end" gap="sm">
        <ChoiceFilter label={t.status} value={status} onChange={onStatus} choices={t.statuses} />
        <ExportCoupons key={group} group={group} name={name} status={wanted} />
      </Group>
      <List
        label={title}
        query={query}
        idOf={({ id }) => id}
        cursor={cursor}
        goTo={goTo}
        empty={
          status ? (
            <NoMatch title={t.noMatchTitle} clear={() => onStatus(null)} />
          ) : (
            <Empty title={t.noCouponsTitle}>{mayCreate ? t.noCoupons : t.noCouponsReading}</Empty>
          )
        }
        columns={[
          {
            title: t.code,
            cell: ({ code }) => (
              <Group gap={4} wrap="nowrap">
                <Code>{code}</Code>
                <CopyIcon value={code} />
              </Group>
            ),
          },
          {
            title: t.status,
            cell: (coupon) => (
              <Status value={coupon.status === 'redeemed' ? 'used' : coupon.status} text={t.statuses[coupon.status]} />
            ),
          },
          { title: t.created, cell: ({ createdAt }) => <Time value={createdAt} /> },
          { title: t.redeemed, cell: ({ redeemedAt }) => <Time value={redeemedAt} /> },
          { title: t.expires, cell: ({ expiresAt }) => <Time value={expiresAt} /> },
        ]}
      />
    </Stack>
  );
}
