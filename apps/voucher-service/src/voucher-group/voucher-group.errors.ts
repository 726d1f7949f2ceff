/** Unknown, another partner's, of the other environment, inactive: they look the same. */
export class VoucherGroupNotFoundError extends Error {
  readonly code = 'voucher_group_not_found';

  constructor() {
    super('There is no such voucher group');
  }
}

/** The group has fewer coupons left than were asked for: none is made. */
export class InsufficientStockError extends Error {
  readonly code = 'insufficient_stock';

  constructor(remaining: number) {
    super(`The voucher group has ${remaining} coupons left`);
  }
}
