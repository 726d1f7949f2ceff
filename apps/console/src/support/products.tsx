import { Text, Title } from '@mantine/core';
import { DataTable } from '../components/data-table';
import { Status } from '../components/status';
import { Time } from '../components/time';
import type { components } from '../generated/support-api';
import { texts } from '../texts/common';
import { supportTexts } from '../texts/support';
import { productName, reasonWords } from './words';

const t = supportTexts.user;
type Story = components['schemas']['UserStory'];

/** Returns the codes of all products that are stored for the user or active at the vendor. */
const codesOf = ({ user, vendor }: Story): string[] => [
  ...new Set([...user.enrollments.map(({ code }) => code), ...(vendor.enrolledCodes ?? []).map(String)]),
];

/** Returns whether a product is active at the vendor. If the vendor did not answer, the stored state decides. */
export const isActive = ({ user, vendor }: Story, code: string): boolean =>
  vendor.enrolledCodes?.includes(code) ??
  user.enrollments.some((enrollment) => enrollment.code === code && enrollment.active);

/** Returns the state of a product: whether it is active, and whether it should be. */
const stateOf = ({ isWanted, isActive: is }: Pick<Product, 'isWanted' | 'isActive'>): keyof typeof t.productStates =>
  isWanted ? (is ? 'active' : 'notYet') : is ? 'notEnded' : 'ended';

/** Returns the products of a user, and for each whether it is active and whether it should be. */
const productsOf = (story: Story) =>
  codesOf(story).map((code) => {
    const stored = story.user.enrollments.find((enrollment) => enrollment.code === code);
    return { code, stored, isWanted: stored?.wanted ?? false, isActive: isActive(story, code) };
  });

type Product = ReturnType<typeof productsOf>[number];

const differs = (product: Product): boolean => product.isActive !== product.isWanted;

/** Returns whether nothing is left to correct: the vendor answered, and exactly the products that the user may have are active. */
export const isCorrect = (story: Story): boolean =>
  story.enrolled.verdict === 'enrolled' && story.vendor.enrolledCodes !== null && !productsOf(story).some(differs);

/** Returns the names of the products that the user pays for but that are not active, including those that the vendor itself ended. */
export const inactiveProducts = (story: Story): string[] =>
  codesOf(story)
    .filter((code) => story.user.profile?.grantedCodes.includes(code) && !isActive(story, code))
    .map(productName);

/** Counts the products that should be active (`all`), and those of them that are not active (`count`). */
export const notActiveYet = (story: Story): { count: number; all: number } => {
  const wanted = productsOf(story).filter(({ isWanted }) => isWanted);
  return { count: wanted.filter(differs).length, all: wanted.length };
};

/**
 * Returns whether the user sees the credit score, or why not. The API returns the score only if the user's plan includes it, and the vendor has a
 * score only while the product is active.
 */
export const creditScoreOf = (story: Story): keyof typeof t.creditScores => {
  const { profile, subscriptions, entitlements } = story.user;
  if (!profile?.grantedCodes.includes('CREDIT_SCORE')) {
    if (entitlements.length > 0 || subscriptions.some(({ state }) => state === 'live')) return 'notIncluded';
    return subscriptions.some(({ state }) => state === 'ended') ? 'ended' : 'notPaid';
  }
  return isActive(story, 'CREDIT_SCORE') ? 'active' : 'notActive';
};

/** Returns why a product is active or not. For a product that is not active yet, returns why it should be active. */
function whyOf({ stored, ...product }: Product): string {
  if (!stored) return texts.none;
  // If a wanted product has the reason `vendor`, the vendor has ended the product, and then started it again.
  const why = product.isWanted && stored.reason === 'vendor' ? t.startedByVendor : reasonWords(stored.reason);
  return stateOf(product) === 'notYet' ? t.shouldBeActive(why) : why;
}

const COLORS = { active: 'active', notYet: 'held', notEnded: 'held', ended: 'ended' } as const;

/** Lists the products of a user, and for each whether it is active and whether it should be. */
export function Products({ story }: { story: Story }) {
  const products = productsOf(story);
  return (
    <section aria-label={t.enrollments}>
      <Title order={2} mb="xs">
        {t.enrollments}
      </Title>
      {products.length === 0 ? (
        <Text size="sm">{t.noEnrollments}</Text>
      ) : (
        <>
          {story.vendor.enrolledCodes === null && <Note>{t.storedOnly}</Note>}
          {products.some(differs) && <Note>{story.user.profile === null ? t.differsNoProfile : t.differs}</Note>}
          <DataTable
            label={t.enrollments}
            rows={products}
            idOf={({ code }) => code}
            columns={[
              { title: t.code, cell: ({ code }) => productName(code) },
              {
                title: t.productState,
                cell: (product) => <Status value={COLORS[stateOf(product)]} text={t.productStates[stateOf(product)]} />,
              },
              { title: t.why, cell: (product) => whyOf(product) },
              { title: t.since, cell: ({ stored }) => <Time value={stored?.activatedAt} /> },
            ]}
          />
        </>
      )}
    </section>
  );
}

const Note = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed" mb={4}>
    {children}
  </Text>
);

/** Compares two stories of a user. Returns the names of the products that became active, and of those that are no longer active. */
export function changesBetween(before: Story, after: Story): { started: string[]; ended: string[] } {
  const codes = [...new Set([...codesOf(before), ...codesOf(after)])];
  const changed = codes.filter((code) => isActive(before, code) !== isActive(after, code));
  return {
    started: changed.filter((code) => isActive(after, code)).map(productName),
    ended: changed.filter((code) => !isActive(after, code)).map(productName),
  };
}
