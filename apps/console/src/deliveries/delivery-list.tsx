import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Copyable } from '../components/copyable';
import { Empty, NoMatch } from '../components/empty';
import { LineId } from '../components/id';
import { List } from '../components/list-page';
import { DeliveryStatus, Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/partner-api';
import { texts } from '../texts/common';
import { deliveryTexts as t } from '../texts/deliveries';
import { Attempts } from './attempts';
import { detailOf, endReasonOf, outcomeOf } from './outcome';
import { Replay } from './replay';
import { isOfClosedSale, statusOf } from './statuses';

export type Delivery = components['schemas']['PostbackDeliveryDto'];

interface DeliveryListProps {
  readonly query: UseQueryResult<components['schemas']['PostbackDeliveryPageDto']>;
  readonly filters: { readonly status: string; readonly oid: string; readonly refId: string };
  readonly clear: () => void;
  readonly cursor?: string;
  readonly goTo: (cursor: string | null) => void;
  /** The title of the column with the partner's reference. */
  readonly reference?: string;
  /** Returns the path of the screen of a sale. */
  readonly saleLink: (oid: string) => string;
  /** Sends a delivery again. Left out when the user may not do so. */
  readonly replay?: (id: string) => Promise<unknown>;
}

/** Lists the deliveries of one endpoint with their attempts, and a button to send a delivery again. */
export function DeliveryList({
  query,
  filters,
  clear,
  cursor,
  goTo,
  reference = t.reference,
  saleLink,
  replay,
}: DeliveryListProps) {
  const [opened, setOpened] = useState<Delivery | null>(null);
  // The list may refresh while the dialog is open. If the delivery no longer matches the filters then, the dialog shows
  // it as it was when it was opened.
  const shown = opened && (query.data?.items.find(({ id }) => id === opened.id) ?? opened);
  const columns = [
    {
      title: t.sale,
      cell: ({ oid, kind }: Delivery) => (
        <>
          <LineId value={oid} to={saleLink(oid)} />
          {kind !== 'sale' && <Text size="xs">{t.kinds[kind]}</Text>}
        </>
      ),
    },
    { title: reference, cell: ({ refId }: Delivery) => (refId ? <LineId value={refId} /> : texts.none) },
    {
      title: t.status,
      cell: (delivery: Delivery) => <StatusOf delivery={delivery} />,
    },
    { title: t.created, cell: ({ createdAt }: Delivery) => <Time value={createdAt} /> },
    { title: t.answer, cell: (delivery: Delivery) => answerOf(delivery) },
    { title: t.nextAttempt, cell: ({ nextAttemptAt }: Delivery) => <Time value={nextAttemptAt} /> },
    {
      title: t.details,
      cell: (delivery: Delivery) => (
        <Group gap={6}>
          <Button size="compact-xs" variant="default" onClick={() => setOpened(delivery)}>
            {t.attempts} ({delivery.attempts.length})
          </Button>
          {replay && !isOfClosedSale(delivery) && (
            <Replay delivery={delivery} reference={reference} replay={replay} button={{ size: 'compact-xs' }} />
          )}
        </Group>
      ),
    },
  ];
  return (
    <>
      <List
        label={t.title}
        query={query}
        columns={columns}
        idOf={({ id }) => id}
        cursor={cursor}
        goTo={goTo}
        minWidth={960}
        empty={emptyOf(filters, clear)}
      />
      <Modal
        opened={shown !== null}
        onClose={() => setOpened(null)}
        title={
          shown && (
            <>
              {t.named(shown.kind, shown.oid)} <StatusOf delivery={shown} />
            </>
          )
        }
        size="xl"
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        {shown && (
          <Stack>
            <Attempts delivery={shown} />
            <Text size="xs" c="dimmed" component="div">
              {t.webhookId} <Copyable value={shown.id} />
            </Text>
          </Stack>
        )}
      </Modal>
    </>
  );
}

const StatusOf = ({ delivery }: { delivery: Delivery }) =>
  isOfClosedSale(delivery) ? <Status value="ended" text={t.stopped} /> : <DeliveryStatus status={statusOf(delivery)} />;

/** Returns the note for an empty list. If the status is the only filter, the note names it. */
function emptyOf({ status, oid, refId }: DeliveryListProps['filters'], clear: () => void) {
  if (!status && !oid && !refId) return <Empty title={t.emptyTitle}>{t.empty}</Empty>;
  const ofStatus = oid || refId ? undefined : t.emptyTitles[status];
  return (
    <NoMatch title={ofStatus ?? t.noMatchTitle} clear={clear}>
      {status === 'failed' && t.retriedElsewhere}
    </NoMatch>
  );
}

function answerOf({ attempts, error }: Delivery) {
  const last = attempts.at(-1);
  const end = error ? endReasonOf(error) : texts.none;
  return (
    <Text size="sm" span title={last && detailOf(last)}>
      {t.stopReasons[error ?? ''] ?? (last ? outcomeOf(last) : end)}
    </Text>
  );
}
