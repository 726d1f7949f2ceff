import { Button, Code, Group, NumberInput, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, partnerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { CopyIcon } from '../components/copyable';
import { DataTable } from '../components/data-table';
import { ConfirmButton } from '../components/dialog';
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
import { ExportCoupons } from './export-coupons';

/** A request for more coupons creates only 10, as the API documents. */
const MOST_COUPONS = 500;

const t = portalTexts.vouchers;
const g = partnersTexts.vouchers;
type VoucherGroup = components['schemas']['VoucherGroup'];

/** The partner's voucher groups, and the coupons of each. */
export default function VouchersPage() {
  const mayCreate = useRight('vouchers:create');
  const { values, cursor, set, goTo } = useFilters(['group', 'status']);
  const query = useQuery({
    queryKey: ['voucher-groups', 'own'],
    queryFn: () => answerOf(partnerApi.GET('/api/v2/partner/subscription/voucher-group')),
  });
  return (
    <Page title={t.title}>
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
                      <Button size="compact-xs" variant="default" onClick={() => set('group', group.id)}>
                        {t.show}
                      </Button>
                      {mayCreate && group.status === 'active' && (
                        <CreateCoupons group={group} onDone={() => set('group', group.id)} />
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
  readonly status: string;
  readonly cursor: string | undefined;
  readonly onStatus: (status: string | null) => void;
  readonly goTo: (cursor: string | null) => void;
}

function Coupons({ group, status, cursor, onStatus, goTo }: CouponsProps) {
  const wanted = given(status) as components['schemas']['Coupon']['status'] | undefined;
  const query = useQuery({
    queryKey: ['coupons', group, status, cursor],
    queryFn: () => {
      const filters = { voucherGroupId: group, status: wanted, cursor };
      return answerOf(partnerApi.GET('/api/v2/partner/subscription/vouchers', { params: { query: filters } }));
    },
  });
  return (
    <Stack>
      <Title order={2}>{t.coupons}</Title>
      <Group align="flex-end" gap="sm">
        <ChoiceFilter label={t.status} value={status} onChange={onStatus} choices={t.statuses} />
        {query.data && query.data.items.length > 0 && <ExportCoupons group={group} status={wanted} />}
      </Group>
      <List
        label={t.coupons}
        query={query}
        idOf={({ id }) => id}
        cursor={cursor}
        goTo={goTo}
        empty={
          status ? (
            <NoMatch title={t.noMatchTitle} clear={() => onStatus(null)} />
          ) : (
            <Empty title={t.noCouponsTitle}>{t.noCoupons}</Empty>
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

function CreateCoupons({ group: { id }, onDone }: { group: VoucherGroup; onDone: () => void }) {
  const [count, setCount] = useState<number | string>(10);
  const isValid = typeof count === 'number' && count >= 1 && count <= MOST_COUPONS;
  const [key, setKey] = useState(() => crypto.randomUUID());
  const act = useAct(
    () =>
      answerOf(
        partnerApi.POST('/api/v2/partner/subscription/vouchers', {
          // With the same key, a retry after a lost answer does not create coupons twice.
          params: { header: { 'Idempotency-Key': `${key}-${count}` } },
          body: { voucherGroupId: id, count: Number(count) },
        }),
      ),
    {
      changes: ['voucher-groups', 'coupons'],
      done: (made) => t.made(made.count),
      onDone: () => {
        // The next creation is not a retry, so it needs a new key.
        setKey(crypto.randomUUID());
        onDone();
      },
    },
  );
  return (
    <ConfirmButton
      title={t.create}
      action={t.create}
      consequence={t.createConsequence}
      act={act}
      isValid={isValid}
      button={{ size: 'compact-xs' }}
    >
      <NumberInput
        label={t.count}
        min={1}
        max={MOST_COUPONS}
        allowDecimal={false}
        value={count}
        onChange={setCount}
        error={isValid ? undefined : t.countRange(MOST_COUPONS)}
      />
    </ConfirmButton>
  );
}
