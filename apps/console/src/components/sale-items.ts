import { texts } from '../texts/common';

interface Item {
  readonly category: string;
  readonly tier: string;
  readonly quantity: string;
}

/** Lists the items of a sale. The tier is left out if the category already contains the name of the tier. */
export const saleItems = (items: readonly Item[] | null | undefined): string =>
  items?.map(({ category, tier, quantity }) => `${quantity} × ${nameOf(category, tier)}`).join(', ') || texts.none;

const nameOf = (category: string, tier: string): string =>
  category.toLowerCase().includes(tier.toLowerCase()) ? category : `${category} ${tier}`;
