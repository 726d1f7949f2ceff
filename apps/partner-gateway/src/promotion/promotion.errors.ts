export class PromotionNotFoundError extends Error {
  readonly code = 'not_found';

  constructor() {
    super('There is no such promotion');
  }
}

export class PromotionCodeTakenError extends Error {
  readonly code = 'promotion_code_taken';

  constructor() {
    super('Another promotion has this code');
  }
}

/** The partner has no active promotion. */
export class PromotionNotActiveError extends Error {
  readonly code = 'promotion_not_active';

  constructor() {
    super('The account has no active promotion');
  }
}
