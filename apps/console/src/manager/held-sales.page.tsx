import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, managerApi } from '../api/clients';
import { LIVE_MS } from '../api/query';
import { Empty } from '../components/empty';
import { Link } from '../components/link';
import { List } from '../components/list-page';
import { Page } from '../components/page';
import { useFilters } from '../components/use-filters';
import { managerTexts } from '../texts/manager';
import { Decide } from './decide';
import { type Sale, SALE_COLUMNS } from './sale-columns';

const t = managerTexts.held;

/** Lists the held sales with the evidence of the fraud rule. The manager can select several sales and decide them together. */
export default function HeldSalesPage() {
  const { cursor, goTo } = useFilters([]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const query = useQuery({
    queryKey: ['sales', 'held', cursor],
    queryFn: () =>
      answerOf(managerApi.GET('/admin/sales', { params: { query: { status: 'held', cursor, limit: 50 } } })),
    refetchInterval: LIVE_MS,
  });
  const rows = query.data?.items ?? [];
  // Leaves out selected sales that are no longer in the list, for example because somebody else has decided them.
  const sales = rows.filter(({ oid }) => selected.has(oid));
  const select = (oid: string, on: boolean): void => {
    const others = sales.map((sale) => sale.oid).filter((one) => one !== oid);
    setSelected(new Set(on ? [...others, oid] : others));
  };
  const clear = (): void => setSelected(new Set());
  const choose = {
    title: t.select,
    cell: ({ oid }: Sale) => (
      <Checkbox
        aria-label={`${t.select} ${oid}`}
        checked={selected.has(oid)}
        onChange={(event) => select(oid, event.currentTarget.checked)}
      />
    ),
  };
  const why = { title: t.why, cell: (sale: Sale) => <Why sale={sale} /> };
  return (
    <Page title={t.title}>
      <Text size="sm" c="dimmed">
        {t.lead}
      </Text>
      {rows.length > 0 && (
        <Group gap="sm">
          <Checkbox
            label={t.selectAll}
            checked={sales.length === rows.length}
            indeterminate={sales.length > 0 && sales.length < rows.length}
            onChange={(event) => setSelected(new Set(event.currentTarget.checked ? rows.map(({ oid }) => oid) : []))}
          />
          <Decide decision="release" sales={sales} onDone={clear} />
          <Decide decision="refuse" sales={sales} onDone={clear} />
        </Group>
      )}
      <List
        label={t.title}
        query={query}
        columns={[choose, ...SALE_COLUMNS.filter(({ title }) => title !== managerTexts.sales.status), why]}
        idOf={({ oid }) => oid}
        cursor={cursor}
        goTo={goTo}
        minWidth={960}
        empty={<Empty title={t.emptyTitle}>{t.empty}</Empty>}
      />
    </Page>
  );
}

function Why({ sale: { holdReason, holdEvidence } }: { sale: Sale }) {
  return (
    <Stack gap={2}>
      <Text size="sm">{t.reasons[holdReason ?? ''] ?? holdReason}</Text>
      {holdEvidence?.domain && (
        <Text size="xs" c="dimmed">
          {t.evidenceDomain(holdEvidence.domain)}
        </Text>
      )}
      {holdEvidence && holdEvidence.sales.length > 0 && (
        <Text size="xs" c="dimmed" component="div">
          {t.evidenceSales(holdEvidence.sales.length, holdEvidence.maxSalesPerHour ?? 0)}{' '}
          {holdEvidence.sales.slice(0, 3).map(({ oid }) => (
            <Link key={oid} to={`/sales/${encodeURIComponent(oid)}`} size="xs" mr={4}>
              {oid.slice(0, 14)}…
            </Link>
          ))}
        </Text>
      )}
    </Stack>
  );
}
