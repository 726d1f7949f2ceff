import { Alert, NativeSelect, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { answerOf, partnerApi } from '../api/clients';
import { useAct } from '../api/use-act';
import { Amount } from '../components/amount';
import { Copyable } from '../components/copyable';
import { ConfirmButton, Subject } from '../components/dialog';
import { Facts } from '../components/facts';
import { Link } from '../components/link';
import { Loaded } from '../components/loaded';
import { Page } from '../components/page';
import { saleItems } from '../components/sale-items';
import { DeliveryStatus, SaleStatus } from '../components/status';
import { Time } from '../components/time';
import { isBeforeDeliveryLog } from '../deliveries/delivery-log';
import { detailOf, endReasonOf, outcomeOf } from '../deliveries/outcome';
import { refreshOf, refreshWhile } from '../deliveries/refresh';
import { statusOfPostback } from '../deliveries/statuses';
import type { components } from '../generated/partner-api';
import { useRight } from '../session/session';
import { texts } from '../texts/common';
import { deliveryTexts } from '../texts/deliveries';
import { portalTexts } from '../texts/portal';
import { saleReason } from '../texts/reasons';

const t = portalTexts.sale;
const list = portalTexts.sales;
type Sale = components['schemas']['PartnerSale'];
type Reason = keyof typeof t.reasons;

/** One sale of the partner, with the state of its postback. */
export default function PortalSalePage() {
  const { oid = '' } = useParams();
  const mayRevoke = useRight('sales:revoke');
  const query = useQuery({
    queryKey: ['story', 'own', oid],
    queryFn: () => answerOf(partnerApi.GET('/api/v2/partner/sales/{oid}', { params: { path: { oid } } })),
    refetchInterval: refreshWhile(awaitsPostback),
  });
  return (
    <Page title={t.title(oid)}>
      <Loaded query={query} lines={8}>
        {(sale) => (
          <Stack>
            {sale.status === 'held' && (
              <Alert variant="light" title={t.heldTitle} styles={{ title: { color: 'var(--mantine-color-text)' } }}>
                <Text size="sm">{t.held}</Text>
              </Alert>
            )}
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <Facts
                title={t.facts}
                facts={[
                  [list.sale, <Copyable key="oid" value={sale.oid} />],
                  [list.status, <SaleStatus key="status" status={sale.status} />],
                  ...(sale.reason ? ([[list.reason, saleReason(sale.reason)]] as const) : []),
                  [list.amount, <Amount key="amount" amount={sale.amount} currency={sale.currency} />],
                  [t.items, saleItems(sale.items)],
                  [list.reference, sale.refId ?? texts.none],
                  [list.buyer, sale.emailMasked ?? texts.none],
                  [list.soldAt, <Time key="sold" value={sale.soldAt} withUtc />],
                  [t.qualified, <Time key="qualified" value={sale.qualifiedAt} withUtc />],
                  ...(sale.revokedAt
                    ? ([[t.revoked, <Time key="revoked" value={sale.revokedAt} withUtc />]] as const)
                    : []),
                  ...(sale.closedAt
                    ? ([[closedWord(sale.status), <Time key="closed" value={sale.closedAt} withUtc />]] as const)
                    : []),
                ]}
              />
              <PostbackFacts sale={sale} />
            </SimpleGrid>
            {mayRevoke && sale.status === 'qualified' && <Revoke sale={sale} />}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

const closedWord = (status: Sale['status']): string =>
  status === 'refunded' || status === 'charged_back' ? texts.saleStatus[status] : t.closed;

/** The statuses of sales that may still get a postback. */
const AWAITING: readonly Sale['status'][] = ['pending', 'held', 'qualified'];

/** Whether the postback of a sale is about to be created, or is still being sent. */
const awaitsPostback = (sale: Sale): boolean =>
  sale.postback ? sale.postback.status === 'pending' : sale.status === 'qualified' && !isBeforeDeliveryLog(sale);

function noPostbackOf(sale: Sale): string {
  if (isBeforeDeliveryLog(sale)) return t.noPostbackOrOld;
  return AWAITING.includes(sale.status) ? t.noPostbackYet : t.noPostback;
}

function PostbackFacts({ sale }: { sale: Sale }) {
  const mayRead = useRight('postback:read');
  const mayWrite = useRight('postback:write');
  const { oid, postback } = sale;
  if (!postback) return <Text size="sm">{noPostbackOf(sale)}</Text>;
  const status = statusOfPostback(postback);
  return (
    <Facts
      title={t.postback}
      facts={[
        [list.status, <DeliveryStatus key="status" status={status} />],
        ...(postback.status === 'held'
          ? ([[list.reason, mayWrite ? t.postbackHeld : t.postbackHeldReading]] as const)
          : []),
        [t.attempts, postback.attempts ?? texts.none],
        [t.delivered, <Time key="delivered" value={postback.deliveredAt} withUtc />],
        [t.next, <Time key="next" value={postback.nextAttemptAt} withUtc />],
        ...(status === 'failing' && mayRead ? ([[t.error, <LastError key="error" oid={oid} />]] as const) : []),
        ...(postback.error ? ([[t.error, endReasonOf(postback.error)]] as const) : []),
      ]}
      actions={<Link to={`/my/deliveries?oid=${encodeURIComponent(oid)}`}>{t.toDeliveries}</Link>}
    />
  );
}

/** Why the last attempt of a failing postback failed. */
function LastError({ oid }: { oid: string }) {
  const { data } = useQuery({
    queryKey: ['deliveries', 'own', { oid }],
    queryFn: () => answerOf(partnerApi.GET('/api/v2/partner/postback/deliveries', { params: { query: { oid } } })),
    refetchInterval: refreshOf,
  });
  const last = data?.items.find(({ kind }) => kind === 'sale')?.attempts.at(-1);
  if (!last?.error) return <>{texts.none}</>;
  return (
    <>
      {outcomeOf(last)}
      <Text size="xs" c="dimmed">
        {detailOf(last)}
      </Text>
    </>
  );
}

function Revoke({ sale: { oid: subscriptionId, refId, amount, currency } }: { sale: Sale }) {
  const [reason, setReason] = useState<Reason>('customer_request');
  const [note, setNote] = useState('');
  const account = useQuery({
    queryKey: ['account'],
    queryFn: () => answerOf(partnerApi.GET('/api/v2/partner/account')),
  });
  const act = useAct(
    () =>
      answerOf(
        partnerApi.PUT('/api/v2/partner/subscription/revoke', {
          body: { subscriptionId, reason, ...(note.trim() && { note: note.trim() }) },
        }),
      ),
    { changes: ['story', 'sales', 'statistics'], done: () => t.done },
  );
  return (
    <div>
      <ConfirmButton
        title={t.revoke}
        action={t.revoke}
        consequence={
          <>
            <Subject>
              {t.subject(subscriptionId)}, <Amount amount={amount} currency={currency} />
            </Subject>
            {refId && <Subject>{deliveryTexts.withReference(list.reference, refId)}</Subject>}
            {t.revokeConsequence} {account.data && t.revocable(account.data.revokeWindowDays)}
          </>
        }
        danger
        act={act}
      >
        <NativeSelect
          label={t.reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value as Reason)}
          data={Object.entries(t.reasons).map(([value, label]) => ({ value, label }))}
        />
        <Textarea
          label={t.note}
          description={t.noteHint}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={500}
        />
      </ConfirmButton>
    </div>
  );
}
