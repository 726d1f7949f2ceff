import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { Empty } from '../components/empty';
import { List } from '../components/list-page';
import { Environment, Status } from '../components/status';
import { Time } from '../components/time';
import { useFilters } from '../components/use-filters';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { partnersTexts } from '../texts/partners';
import { AddVoucherGroup } from './add-voucher-group';

const t = partnersTexts.vouchers;

/** Lists the voucher groups of a partner. */
export default function PartnerVouchers({ partner: { id } }: { partner: components['schemas']['Partner'] }) {
  const { cursor, goTo } = useFilters([]);
  const [adding, setAdding] = useState(false);
  const query = useQuery({
    queryKey: ['voucher-groups', id, cursor],
    queryFn: () =>
      answerOf(managerApi.GET('/admin/partners/{id}/voucher-groups', { params: { path: { id }, query: { cursor } } })),
  });
  const add = (
    <Button size="xs" onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  );
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t.lead}
      </Text>
      <div>{add}</div>
      <List
        label={partnersTexts.tabs.vouchers}
        query={query}
        idOf={(group) => group.id}
        cursor={cursor}
        goTo={goTo}
        minWidth={860}
        empty={
          <Empty title={t.emptyTitle} action={add}>
            {t.empty}
          </Empty>
        }
        columns={[
          { title: t.name, cell: ({ name }) => name },
          { title: t.product, cell: ({ product }) => `${product.name}, ${t.months(product.periodMonths)}` },
          { title: texts.environment, cell: ({ environment }) => <Environment value={environment} /> },
          {
            title: t.state,
            cell: ({ status }) => (
              <Status
                value={status === 'active' ? 'active' : 'ended'}
                text={status === 'active' ? partnersTexts.active : partnersTexts.inactive}
              />
            ),
          },
          { title: t.issued, align: 'right', cell: ({ issued }) => issued },
          { title: t.redeemed, align: 'right', cell: ({ redeemed }) => redeemed },
          { title: t.remaining, align: 'right', cell: ({ remaining }) => remaining ?? t.unlimited },
          { title: t.validUntil, cell: ({ validUntil }) => <Time value={validUntil} /> },
        ]}
      />
      {adding && <AddVoucherGroup partnerId={id} onClose={() => setAdding(false)} />}
    </Stack>
  );
}
