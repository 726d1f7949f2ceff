import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches, ValidateBy, ValidateIf } from 'class-validator';
import { isRefId } from './ref-id.rules';

/** Left out is fine; an empty value is a value. */
const Omittable = (): PropertyDecorator => ValidateIf((_query: object, value: unknown) => value !== undefined);

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

const isLocale = (value: unknown): boolean => {
  if (typeof value !== 'string' || value.length > 35) return false;
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    // A RangeError is how Intl says that it is none.
    return false;
  }
};

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

  @ApiPropertyOptional({ pattern: '^[A-Za-z0-9._-]{1,64}$', example: 'advanced' })
  @Omittable()
  @Matches(/^[A-Za-z0-9._-]{1,64}$/, { message: 'plan must be 1 to 64 letters, digits, ".", "_" or "-"' })
  plan?: string;

  @ApiPropertyOptional({ example: 'USD', description: 'ISO 4217' })
  @Omittable()
  @Satisfies(
    'isCurrency',
    (value) => typeof value === 'string' && CURRENCIES.has(value),
    'currency must be an ISO 4217 code',
  )
  currency?: string;

  @ApiPropertyOptional({ example: 'en-GB', description: 'BCP 47' })
  @Omittable()
  @Satisfies('isLocale', isLocale, 'locale must be a BCP 47 language tag')
  locale?: string;
}

export class CheckoutDiscount {
  @ApiProperty({ description: "The promotion's id" })
  id!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100 })
  percentOff!: number;
}

/** The answer: a URL that is good until `expiresAt`. */
export class CheckoutUrl {
  @ApiProperty({ format: 'uri' })
  checkoutUrl!: string;

  @ApiProperty({ type: String, nullable: true })
  refId!: string | null;

  @ApiProperty({ type: CheckoutDiscount })
  discount!: CheckoutDiscount;

  @ApiProperty({ format: 'date-time' })
  expiresAt!: string;
}

export const CHECKOUT_URL_EXAMPLE: CheckoutUrl = {
  checkoutUrl: 'https://store.example.com/checkout?checkout=eyJ2IjoxfQ.c2lnbmF0dXJl&data4=order-1',
  refId: 'order-1',
  discount: { id: 'prm_0f8fad5bd9cb469fa16570867728950e', percentOff: 20 },
  expiresAt: '2026-03-02T12:00:00.000Z',
};
