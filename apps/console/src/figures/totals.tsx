import { Stack, Text } from '@mantine/core';
import { formatAmount } from '../components/amount';
import type { components } from '../generated/manager-api';
import { figureTexts as t } from '../texts/figures';

export type SaleFigures = components['schemas']['SaleFigures'];

/**
 * Returns whether the net amount of any currency differs from its amount. If so, every currency shows its net amount, so that readers can compare
 * them.
 */
export const hasNet = (totals: readonly SaleFigures[]): boolean =>
  totals.some(({ netAmount, amount }) => netAmount !== amount);

/** Shows the sales of a period, in each currency. */
export function Totals({ totals }: { totals: readonly SaleFigures[] }) {
  if (totals.length === 0) return <Text c="dimmed">{t.noSales}</Text>;
  const showsNet = hasNet(totals);
  return (
    <Stack gap="sm">
      {totals.map((figures) => (
        <div key={figures.currency}>
          <Text size="lg" fw={700}>
            {t.sales(figures.sales, formatAmount(figures.amount, figures.currency))}
          </Text>
          {lostOf(figures).map((line) => (
            <Text key={line} size="xs" c="dimmed">
              {line}
            </Text>
          ))}
          {showsNet && (
            <Text size="sm" fw={600}>
              {t.net(formatAmount(figures.netAmount, figures.currency))}
            </Text>
          )}
          {figures.held > 0 && (
            <Text size="xs" c="dimmed">
              {t.held(figures.held)}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}

/** Describes the refunded, charged-back and revoked sales, which the net amount leaves out. Their amounts are shown as negative. */
function lostOf(figures: SaleFigures): string[] {
  const { currency, refunded, refundedAmount, revoked, revokedAmount, chargedBack, chargedBackAmount } = figures;
  const minus = (amount: string): string => formatAmount(`-${amount}`, currency);
  return [
    ...(refunded > 0 ? [t.refunds(refunded, minus(refundedAmount))] : []),
    ...(chargedBack > 0 ? [t.chargedBack(chargedBack, minus(chargedBackAmount))] : []),
    ...(revoked > 0 ? [t.revoked(revoked, minus(revokedAmount))] : []),
  ];
}
