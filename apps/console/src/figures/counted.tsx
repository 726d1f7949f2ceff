import { Text } from '@mantine/core';
import type { components } from '../generated/manager-api';
import { figureTexts as t } from '../texts/figures';

type Statistics = components['schemas']['Statistics'];

/** Shows the postbacks and coupons of a period: nothing if there were none, and a note while their figures are unavailable. */
export function Counted({ postbacks, vouchers }: Pick<Statistics, 'postbacks' | 'vouchers'>) {
  return (
    <>
      {[...postbackLines(postbacks), ...voucherLines(vouchers)].map((line) => (
        <Text key={line} size="xs" c="dimmed">
          {line}
        </Text>
      ))}
    </>
  );
}

function postbackLines(postbacks: Statistics['postbacks']): string[] {
  if (postbacks === null) return [t.postbacksUnknown];
  const { delivered, failed, firstAttempt } = postbacks;
  const { averageMs, p95Ms } = firstAttempt;
  return [
    ...(delivered + failed > 0 ? [t.postbacks(delivered, failed)] : []),
    ...(averageMs !== null && p95Ms !== null ? [t.firstAttempts(averageMs, p95Ms)] : []),
  ];
}

function voucherLines(vouchers: Statistics['vouchers']): string[] {
  if (vouchers === null) return [t.vouchersUnknown];
  return vouchers.created + vouchers.redeemed > 0 ? [t.vouchers(vouchers.created, vouchers.redeemed)] : [];
}
