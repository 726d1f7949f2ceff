import { IntegerField, ObjectField, RuleField, TextField, TimeField } from '@tandem/http-api';
import { isCurrency } from './currency.rules';
import { isRefId } from './ref-id.rules';

/** The pattern of common BCP 47 tags. Only the OpenAPI document contains it; requests are checked with `isLocale`. */
const LOCALE_FORM = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$';

const isLocale = (value: unknown): boolean => {
  if (typeof value !== 'string' || value.length > 35) return false;
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    // Intl throws a RangeError when the value is not a language tag.
    return false;
  }
};

export class CreateCheckoutUrlQuery {
  @RuleField(isRefId, {
    schema: { minLength: 1, maxLength: 200 },
    message: '$property must be 1 to 200 printable characters',
    optional: true,
    example: 'order-1',
    description: 'Your own reference, returned unchanged as `sharedId` in the postback',
  })
  ref_id?: string;

  @TextField({
    pattern: /^[A-Za-z0-9._-]{1,64}$/,
    message: 'plan must be 1 to 64 letters, digits, ".", "_" or "-"',
    optional: true,
    example: 'advanced',
  })
  plan?: string;

  @RuleField(isCurrency, {
    schema: { pattern: '^[A-Z]{3}$' },
    message: '$property must be an ISO 4217 code',
    optional: true,
    example: 'USD',
    description: 'ISO 4217',
  })
  currency?: string;

  @RuleField(isLocale, {
    schema: { pattern: LOCALE_FORM },
    message: '$property must be a BCP 47 language tag',
    optional: true,
    example: 'en-GB',
    description: 'BCP 47',
  })
  locale?: string;
}

export class CheckoutDiscount {
  @TextField({ example: 'prm_0f8fad5bd9cb469fa16570867728950e', description: "The promotion's id" })
  id!: string;

  @IntegerField({ min: 1, max: 100, example: 20 })
  percentOff!: number;
}

/** A checkout URL that is valid until `expiresAt`. */
export class CheckoutUrl {
  @TextField({
    format: 'uri',
    example: 'https://store.example.com/checkout?checkout=eyJ2IjoxfQ.c2lnbmF0dXJl&data4=order-1',
  })
  checkoutUrl!: string;

  @TextField({ nullable: true, example: 'order-1' })
  refId!: string | null;

  @ObjectField(() => CheckoutDiscount)
  discount!: CheckoutDiscount;

  @TimeField()
  expiresAt!: string;
}
