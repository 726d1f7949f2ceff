import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Copyable } from '../components/copyable';
import { Empty } from '../components/empty';
import { Link } from '../components/link';
import { Page } from '../components/page';
import type { components } from '../generated/support-api';
import { supportTexts } from '../texts/support';
import { erasuresOf, hasErased } from './erasures';
import { utcTime } from './words';

const t = supportTexts.nothing;
type Story = components['schemas']['UserStory'];

/**
 * Returns whether a user's story contains no data, neither of the platform nor, if the vendor answered, of the vendor. A story does not show whether
 * such a user is known; see `isKnown` in user.page.tsx.
 */
export const containsNothing = ({ user, vendor, deadLetters }: Story): boolean =>
  vendor.isKnown !== true &&
  deadLetters.length === 0 &&
  user.profile === null &&
  user.subscriptions.length === 0 &&
  user.enrollments.every(({ wanted, active }) => !wanted && !active) &&
  user.verification.attempts === 0 &&
  user.reconciliation === null &&
  user.pushedAlerts === 0;

/** The page for an id that is not a KRN, because it was mistyped in the address. */
export const NoKrn = () => (
  <Page title={supportTexts.user.title}>
    <Empty title={t.noKrn} action={<Link to="/support">{t.back}</Link>}>
      {t.noKrnHint}
    </Empty>
  </Page>
);

/** Returns whether a user is known, but has no personal data, neither here nor at the vendor: only records of subscriptions. */
export const hasOnlyRecords = ({ user, vendor, deadLetters }: Story): boolean =>
  vendor.isKnown === false &&
  deadLetters.length === 0 &&
  user.profile === null &&
  user.subscriptions.length > 0 &&
  user.verification.attempts === 0 &&
  user.reconciliation === null &&
  user.pushedAlerts === 0;

/** The sentence that support can send to a customer of whom only records of subscriptions are stored. */
export const NoPersonalData = ({ story, at }: NothingStoredProps) => (
  <Text size="xs" c="dimmed" component="div">
    {t.sendNoData} <Copyable value={t.noData(story.user.krn, utcTime(at))} />
  </Text>
);

interface NothingStoredProps {
  readonly story: Story;
  /** When the platform was asked whether it knows the user, Unix ms. */
  readonly at: number;
}

/** The note about a user about whom nothing is stored. If the vendor answered, the note has a sentence that support can send to the customer. */
export function NothingStored({ story, at }: NothingStoredProps) {
  const { krn } = story.user;
  const isSure = story.vendor.isKnown === false;
  const erasures = useQuery(erasuresOf(krn));
  const isErased = hasErased(erasures.data);
  return (
    <Empty
      title={isErased ? t.erased : t.unknown}
      action={
        <Stack gap="xs" align="center">
          {isSure && <Copyable value={t.statement(krn, utcTime(at))} />}
          <Link to="/support">{t.back}</Link>
        </Stack>
      }
    >
      {isErased ? t.erasedHint : t.unknownHint} {isSure ? t.send : t.unsure}
    </Empty>
  );
}
