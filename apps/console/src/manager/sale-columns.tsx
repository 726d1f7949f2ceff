import { Amount } from '../components/amount';
import type { Column } from '../components/data-table';
import { Id } from '../components/id';
import { Link } from '../components/link';
import { SaleStatus } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/manager-api';
import { texts } from '../texts/common';
import { managerTexts } from '../texts/manager';

const t = managerTexts.sales;
export type Sale = components['schemas']['ListedSale'];

/** The columns of the lists of sales that managers see. */
export const SALE_COLUMNS: readonly Column<Sale>[] = [
  { title: t.soldAt, cell: ({ soldAt }) => <Time value={soldAt} /> },
  { title: t.sale, cell: ({ oid }) => <Link to={`/sales/${encodeURIComponent(oid)}`}>{oid}</Link> },
  { title: t.status, cell: ({ status }) => <SaleStatus status={status} /> },
  { title: t.amount, align: 'right', cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} /> },
  {
    title: t.partner,
    cell: ({ partnerId, partnerName }) =>
      partnerId ? <Link to={`/partners/${partnerId}`}>{partnerName ?? partnerId}</Link> : texts.none,
  },
  { title: t.reference, cell: ({ sharedId }) => (sharedId ? <Id value={sharedId} /> : texts.none) },
  { title: t.buyer, cell: ({ emailMasked }) => emailMasked ?? texts.none },
];
