import { Group } from '@mantine/core';
import { Amount } from '../components/amount';
import type { Column } from '../components/data-table';
import { Id } from '../components/id';
import { Link } from '../components/link';
import { Environment, SaleStatus, Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { managerTexts } from '../texts/manager';

const t = managerTexts.sales;
export type Sale = components['schemas']['ListedSale'];

/**
 * The status of a sale. A sale that a manager refused has the status `failed` in the API. It is shown as refused, because nothing has failed.
 */
export const StatusOf = ({ sale: { status, failureReason } }: { sale: Pick<Sale, 'status' | 'failureReason'> }) =>
  status === 'failed' && failureReason === 'refused' ? (
    <Status value={status} text={t.refused} />
  ) : (
    <SaleStatus status={status} />
  );

/** The columns of the lists of sales that managers see. The environment is next to the id, because its own column would not fit in 1,280 px. */
export const SALE_COLUMNS: readonly Column<Sale>[] = [
  { title: t.soldAt, cell: ({ soldAt }) => <Time value={soldAt} /> },
  {
    title: t.sale,
    cell: ({ oid, environment }) => (
      <Group gap={6}>
        <Link to={`/sales/${encodeURIComponent(oid)}`}>{oid}</Link>
        {environment && <Environment value={environment} />}
      </Group>
    ),
  },
  { title: t.status, cell: (sale) => <StatusOf sale={sale} /> },
  { title: t.amount, align: 'right', cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} /> },
  {
    title: t.partner,
    cell: ({ partnerId, partnerName }) =>
      partnerId ? <Link to={`/partners/${partnerId}`}>{partnerName ?? partnerId}</Link> : texts.none,
  },
  { title: t.reference, cell: ({ sharedId }) => (sharedId ? <Id value={sharedId} /> : texts.none) },
  { title: t.buyer, cell: ({ emailMasked }) => emailMasked ?? texts.none },
];
