import { ErrorOf } from '@tandem/http-api';

export class PromotionNotFoundError extends ErrorOf('not_found', 'There is no such promotion') {}

export class PromotionCodeTakenError extends ErrorOf('promotion_code_taken', 'Another promotion has this code') {}

/** The partner has no active promotion. */
export class PromotionNotActiveError extends ErrorOf('promotion_not_active', 'The account has no active promotion') {}
