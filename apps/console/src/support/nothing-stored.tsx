import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Copyable } from '../components/copyable';
import { Empty } from '../components/empty';
import { Link } from '../components/link';
import type { components } from '../generated/support-api';
import { supportTexts } from '../texts/support';
import { erasuresOf, hasErased } from './erasures';
import { utcTime } from './words';

const t = supportTexts.nothing;

/**
 * Returns whether a user's story contains no data, neither of the platform nor of the vendor, which must have answered. A story does not show whether
 * such a user is known; see `isKnown` in user.page.tsx.
 */
export const containsNothing = ({ user, vendor, deadLetters }: components['schemas']['UserStory']): boolean =>
  vendor.isKnown === false &&
  deadLetters.length === 0 &&
  user.profile === null &&
  user.subscriptions.length === 0 &&
  user.enrollments.every(({ wanted, active }) => !wanted && !active) &&
  user.verification.attempts === 0 &&
  user.reconciliation === null &&
  user.pushedAlerts === 0;

/** The note about a user about whom nothing is stored, with a sentence that support can send to the customer. */
export function NothingStored({ krn, checkedAt }: { krn: string; checkedAt: number }) {
  const erasures = useQuery(erasuresOf(krn));
  const isErased = hasErased(erasures.data);
  return (
    <Empty
      title={isErased ? t.erased : t.unknown}
      action={
        <Stack gap="xs" align="center">
          <Copyable value={t.statement(utcTime(checkedAt))} />
          <Link to="/support">{t.back}</Link>
        </Stack>
      }
    >
      {isErased ? t.erasedHint : t.unknownHint}
    </Empty>
  );
}
