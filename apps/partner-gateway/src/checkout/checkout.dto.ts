import { ApiPropertyOptional } from '@nestjs/swagger';
import { IntegerField, ObjectField, TextField, TimeField } from '@tandem/service-defaults';
import { ValidateBy, ValidateIf } from 'class-validator';
import { isRefId } from './ref-id.rules';

/** What a schema can say of a BCP 47 tag. */
const LOCALE_FORM = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$';
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const isLocale = (value: unknown): boolean => {
  if (typeof value !== 'string' || value.length > 35) return false;
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    // Intl throws a RangeError for what is no language tag.
    return false;
  }
};

/** Left out is fine; an empty value is a value. */
const Omittable = (): PropertyDecorator => ValidateIf((_query: object, value: unknown) => value !== undefined);

const Satisfies = (name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator =>
  ValidateBy({ name, validator: { validate } }, { message });

export class CreateCheckoutUrlQuery {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: 200,
    example: 'order-1',
    description: 'Your own reference: comes back as `sharedId` in the postback, exactly as it is',
  })
  @Omittable()
  @Satisfies('isRefId', isRefId, 'ref_id must be 1 to 200 printable characters')
  ref_id?: string;

  @TextField({
    pattern: /^[A-Za-z0-9._-]{1,64}$/,
    message: 'plan must be 1 to 64 letters, digits, ".", "_" or "-"',
    optional: true,
    example: 'advanced',
  })
  plan?: string;

  @ApiPropertyOptional({ pattern: '^[A-Z]{3}$', example: 'USD', description: 'ISO 4217' })
  @Omittable()
  @Satisfies(
    'isCurrency',
    (value) => typeof value === 'string' && CURRENCIES.has(value),
    'currency must be an ISO 4217 code',
  )
  currency?: string;

  @ApiPropertyOptional({ pattern: LOCALE_FORM, example: 'en-GB', description: 'BCP 47' })
  @Omittable()
  @Satisfies('isLocale', isLocale, 'locale must be a BCP 47 language tag')
  locale?: string;
}

export class CheckoutDiscount {
  @TextField({ example: 'prm_0f8fad5bd9cb469fa16570867728950e', description: "The promotion's id" })
  id!: string;

  @IntegerField({ min: 1, max: 100, example: 20 })
  percentOff!: number;
}

/** The answer: a URL that is good until `expiresAt`. */
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
