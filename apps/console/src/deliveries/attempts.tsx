import { Code, Stack, Text } from '@mantine/core';
import { DataTable } from '../components/data-table';
import { Time } from '../components/time';
import type { components } from '../generated/partner-api';
import { texts } from '../texts/common';
import { deliveryTexts as t } from '../texts/deliveries';
import { detailOf, endReasonOf, outcomeOf } from './outcome';

type Delivery = Pick<components['schemas']['PostbackDeliveryDto'], 'attempts' | 'status' | 'error'>;

/** Lists the attempts of a delivery with the endpoint's answers, which are untrusted and always shown as text. */
export function Attempts({ delivery }: { delivery: Delivery }) {
  const { attempts } = delivery;
  if (attempts.length === 0) return <Text size="sm">{notSentYet(delivery)}</Text>;
  return (
    <Stack gap="xs">
      <DataTable
        label={t.attempts}
        rows={attempts}
        idOf={({ number }) => String(number)}
        minWidth={560}
        columns={[
          { title: t.attempt, cell: ({ number }) => number },
          { title: t.at, cell: ({ at }) => <Time value={at} withSeconds /> },
          {
            title: t.status,
            cell: (attempt) => (
              <>
                {outcomeOf(attempt)}
                <Text size="xs" c="dimmed">
                  {detailOf(attempt)}
                </Text>
              </>
            ),
          },
          { title: t.latency, align: 'right', cell: ({ latencyMs }) => t.milliseconds(latencyMs) },
          {
            title: t.response,
            cell: ({ response }) =>
              response ? (
                <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{response}</Code>
              ) : (
                texts.none
              ),
          },
        ]}
      />
      {attempts.at(-1)?.error && <Text size="sm">{t.forDevelopers}</Text>}
    </Stack>
  );
}

const notSentYet = ({ status, error }: Delivery): string =>
  error ? t.notSentBecause(endReasonOf(error)) : (t.notSentYet[status] ?? texts.none);
