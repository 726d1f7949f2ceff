import { Code, Stack, Text } from '@mantine/core';
import { DataTable } from '../components/data-table';
import { Time } from '../components/time';
import type { components } from '../generated/partner-api';
import { texts } from '../texts/common';
import { deliveryTexts as t } from '../texts/deliveries';

/** Lists the attempts of a delivery with the endpoint's answers, which are untrusted and always shown as text. */
export function Attempts({
  delivery: { attempts },
}: {
  delivery: Pick<components['schemas']['PostbackDeliveryDto'], 'attempts'>;
}) {
  if (attempts.length === 0) return <Text size="sm">{texts.none}</Text>;
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
          { title: t.status, cell: ({ status, error }) => status ?? error ?? t.noAnswer },
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
    </Stack>
  );
}
