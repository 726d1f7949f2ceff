import { CheckoutTokens } from '@tandem/auth';
import { compileClass, PAYMENT_RECEIVED, PAYMENT_TYPES, validatorOf } from '@tandem/contracts';
import { FIELD_RULES, ValidationFailedError } from '@tandem/http-api';
import { mutationsOf } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { PAYMENT_DATA, PaymentEnvelope } from './payment-webhook.dto';
import { paymentReceived } from './payment-webhook-events';
import { readPaymentWebhook } from './payment-webhook.rules';

type Json = Record<string, unknown>;

const purchased = (): Json => ({
  subscriptionId: 'sub_1',
  customer: { krn: 'krn:eu:tandem:user:u-1', email: 'jane.doe@example.com' },
  plan: 'pro',
  entitlements: ['idp.identity'],
  currency: 'EUR',
  amount: '99.90',
  paymentStatus: 'captured',
  firstPayment: true,
  items: [{ price: '49.95', quantity: 2, category: 'Identity', tier: 'pro' }],
  attribution: { checkoutToken: 't', promotionCode: 'p', data4: 'd' },
  couponCode: 'c',
});
const changed = (): Json => ({
  subscriptionId: 'sub_1',
  customer: { krn: 'krn:eu:tandem:user:u-1' },
  plan: 'pro',
  entitlements: ['idp.identity'],
  effectiveAt: '2025-11-20T10:00:00Z',
});
const planChanged = (): Json => ({ ...changed(), plan: undefined, fromPlan: 'vpn', toPlan: 'pro' });
const redeemed = (): Json => ({ couponCode: 'c', subscriptionId: 's', redeemedAt: '2025-11-20T10:00:00Z' });
const dataOf = (type: string): Json =>
  type === 'subscription.purchased'
    ? purchased()
    : type === 'subscription.plan_changed'
      ? planChanged()
      : type === 'coupon.redeemed'
        ? redeemed()
        : changed();

const body = (type: string, data: unknown, envelope: Json = {}): Buffer =>
  Buffer.from(JSON.stringify({ id: 'evt_1', type, timestamp: '2025-11-20T10:00:00Z', data, ...envelope }));

/**
 * Returns the names of the fields for which a body is refused. For an accepted body, returns none, after checking that every consumer
 * accepts the resulting event.
 */
function refusedFields(bytes: Buffer): string[] {
  try {
    const { envelope, known } = readPaymentWebhook(bytes);
    if (known) {
      const checkout = new CheckoutTokens(`k1:${Buffer.alloc(32).toString('base64')}`);
      const keys = { email: Buffer.alloc(32), coupon: Buffer.alloc(32), checkout };
      const event = paymentReceived(envelope.id, envelope.timestamp, known, keys);
      expect(validatorOf(PAYMENT_RECEIVED)(JSON.parse(JSON.stringify(event)))).toBeNull();
    }
    return [];
  } catch (error) {
    if (error instanceof ValidationFailedError) return error.fields.map(({ field }) => field);
    throw error;
  }
}

/** Returns a copy of `data` in which the value at a dotted path is replaced. The value is removed if the new value is undefined. */
function withValue(data: Json, path: string, value: unknown): Json {
  const copy = structuredClone(data);
  const names = path.split('.');
  const last = names.pop() as string;
  const parent = names.reduce<Json>((object, name) => object[name] as Json, copy);
  parent[last] = value;
  return copy;
}

const required: Record<string, string[]> = {
  'subscription.purchased': [
    'subscriptionId',
    'customer',
    'customer.email',
    'plan',
    'entitlements',
    'currency',
    'amount',
    'paymentStatus',
    'firstPayment',
    'items',
    'items.0.price',
    'items.0.category',
  ],
  'subscription.plan_changed': [
    'subscriptionId',
    'customer',
    'customer.krn',
    'fromPlan',
    'toPlan',
    'entitlements',
    'effectiveAt',
  ],
  'coupon.redeemed': ['couponCode', 'subscriptionId', 'redeemedAt'],
};
const optional: Record<string, string[]> = {
  'subscription.purchased': [
    'customer.krn',
    'items.0.quantity',
    'items.0.tier',
    'attribution',
    'attribution.checkoutToken',
    'attribution.promotionCode',
    'attribution.data4',
    'couponCode',
  ],
  'subscription.plan_changed': [],
  'coupon.redeemed': [],
};
const requiredOf = (type: string): string[] => required[type] ?? ['subscriptionId', 'customer'];
const optionalOf = (type: string): string[] =>
  optional[type] ?? ['customer.krn', 'plan', 'entitlements', 'effectiveAt'];
const every = (fieldsOf: (type: string) => string[]): [string, string][] =>
  PAYMENT_TYPES.flatMap((type) => fieldsOf(type).map((field): [string, string] => [type, field]));

describe('a payment webhook', () => {
  it.each(PAYMENT_TYPES)('is accepted with all fields of the type %s', (type) => {
    expect(refusedFields(body(type, dataOf(type)))).toEqual([]);
  });

  it.each(every(requiredOf))(
    'is refused if its type is %s and %s is missing or null, and the error names the field [webhooks.payments-fields]',
    (type, field) => {
      expect(refusedFields(body(type, withValue(dataOf(type), field, undefined)))).toEqual([`data.${field}`]);
      expect(refusedFields(body(type, withValue(dataOf(type), field, null)))).toEqual([`data.${field}`]);
    },
  );

  it.each(every(optionalOf))('is accepted if its type is %s and %s is missing or null', (type, field) => {
    expect(refusedFields(body(type, withValue(dataOf(type), field, undefined)))).toEqual([]);
    expect(refusedFields(body(type, withValue(dataOf(type), field, null)))).toEqual([]);
  });

  it.each(every((type) => [...requiredOf(type), ...optionalOf(type)]))(
    'is refused if its type is %s and the value of %s is invalid',
    (type, field) => {
      const right = field.split('.').reduce<unknown>((value, name) => (value as Json)[name], dataOf(type));
      const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);
      for (const wrong of ['\0', 'x'.repeat(9000), 0, -1, 1.5, true, [], [[]], [null], ['\0'], {}, { a: 1 }]) {
        const isRight =
          (kindOf(wrong) === kindOf(right) && ['boolean', 'object'].includes(kindOf(right)) && field !== 'customer') ||
          (Array.isArray(wrong) && wrong.length === 0 && Array.isArray(right));
        if (isRight || (field === 'customer' && typeof wrong === 'object' && !Array.isArray(wrong))) continue;
        const refused = refusedFields(body(type, withValue(dataOf(type), field, wrong)));
        expect({ wrong, refused: refused.some((name) => name.startsWith(`data.${field}`)) }).toEqual({
          wrong,
          refused: true,
        });
      }
    },
  );

  it.each<[string, unknown]>([
    ['id', undefined],
    ['id', ''],
    ['id', 5],
    ['id', 'x'.repeat(256)],
    ['id', 'a\0b'],
    ['type', undefined],
    ['type', ''],
    ['type', ['subscription.purchased']],
    ['timestamp', undefined],
    ['timestamp', 1763632800],
    ['timestamp', '1763632800'],
    ['timestamp', 'yesterday'],
    ['data', undefined],
    ['data', null],
    ['data', []],
    ['data', 'x'],
  ])('is refused if its %s is %j, and the error names the field', (field, value) => {
    expect(refusedFields(body('subscription.purchased', purchased(), { [field]: value }))).toEqual([field]);
  });

  it.each<[string, unknown]>([
    ['amount', 99.9],
    ['amount', '99.900'],
    ['amount', '99.'],
    ['amount', '.99'],
    ['amount', '-1.00'],
    ['amount', '+1'],
    ['amount', '1e3'],
    ['amount', '1,50'],
    ['amount', ' 1.00'],
    ['amount', '1.00\n'],
    ['amount', '٣.٠٠'],
    ['amount', '9'.repeat(13)],
    ['items.0.price', 49.95],
    ['items.0.price', '49.955'],
    ['items.0.quantity', 0],
    ['items.0.quantity', -1],
    ['items.0.quantity', 1.5],
    ['items.0.quantity', '2'],
    ['items.0.quantity', 1e21],
    ['paymentStatus', 'Captured'],
    ['paymentStatus', 'refunded'],
    ['firstPayment', 'true'],
    ['firstPayment', 1],
    ['currency', 'eur'],
    ['currency', 'EURO'],
    ['customer.email', 'nobody'],
    ['customer.email', '@example.com'],
    ['customer.email', 'a@'],
    ['customer.email', 'a b@example.com'],
    ['customer.email', `${'a'.repeat(250)}@b.de`],
    ['customer.krn', 'u-1'],
    ['customer.krn', 'krn:eu:tandem:group:1'],
    ['customer.krn', `krn:eu:tandem:user:${'u'.repeat(65)}`],
    ['attribution.data4', '\ud800'],
    ['attribution.data4', 'a\0'],
    ['entitlements', ['idp.identity', 5]],
    ['entitlements', 'idp.identity'],
  ])('is refused if its field %s is %j, and the error names the field [webhooks.payments-fields]', (field, value) => {
    expect(refusedFields(body('subscription.purchased', withValue(purchased(), field, value)))).toEqual([
      `data.${field}`,
    ]);
  });

  it.each<[string, unknown]>([
    ['amount', '0'],
    ['amount', '0.5'],
    ['amount', '999999999999.99'],
    ['items', []],
    ['items.0.quantity', 1_000_000_000],
    ['entitlements', []],
    ['subscriptionId', 'x'.repeat(255)],
    ['plan', 'x'.repeat(200)],
    ['customer.email', `${'a'.repeat(248)}@b.de`],
    ['customer.email', '"a b@c"@example.com'],
    ['customer.email', 'жанна@пример.рф'],
    ['customer.email', 'jane@localhost'],
    ['customer.email', 'jane@example..com'],
    ['customer.email', '  jane@example.com '],
    ['attribution.checkoutToken', 'x'.repeat(8192)],
    ['attribution.promotionCode', 'x'.repeat(200)],
    ['attribution.data4', '😀'.repeat(512)],
    ['attribution.data4', ''],
    ['couponCode', 'x'.repeat(200)],
    ['items.0.category', ''],
    ['items.0.category', 'x'.repeat(500)],
    ['items.0.tier', ''],
  ])('is accepted if its field %s is %j', (field, value) => {
    expect(refusedFields(body('subscription.purchased', withValue(purchased(), field, value)))).toEqual([]);
  });

  it('is refused with an error that names ten fields if more fields are invalid', () => {
    const items = Array.from({ length: 20 }, () => ({}));
    expect(refusedFields(body('subscription.purchased', { ...purchased(), items }))).toHaveLength(10);
  });

  it('needs only the fields of the envelope if its type is unknown', () => {
    expect(refusedFields(body('invoice.created', {}))).toEqual([]);
    expect(refusedFields(body('invoice.created', null))).toEqual(['data']);
  });
});

describe('the compiled validators for payment webhooks', () => {
  const samples: [string, new () => object, Json][] = [
    ...PAYMENT_TYPES.map((type): [string, new () => object, Json] => [type, PAYMENT_DATA[type], dataOf(type)]),
    [
      'the envelope',
      PaymentEnvelope,
      { id: 'evt_1', type: 'other', timestamp: '2025-11-20T10:00:00Z', data: { a: 1 } },
    ],
  ];
  /** Parses JSON without the keys that every object inherits, because class-transformer fails on a nested `constructor`. */
  const withoutInheritedNames = (json: string): object =>
    JSON.parse(json, (key, value: unknown) => (key in {} ? undefined : value)) as object;

  it.each(samples)('accept exactly the values that class-validator accepts: %s', (_name, shape, sample) => {
    const validate = compileClass(shape, FIELD_RULES);
    expect(validate(sample)).toBeNull();
    const verdicts = { accepted: 0, refused: 0 };
    for (const { name, json } of mutationsOf(sample)) {
      const accepted = validate(JSON.parse(json)) === null;
      verdicts[accepted ? 'accepted' : 'refused']++;
      const instance = plainToInstance(shape, withoutInheritedNames(json));
      expect({ name, accepted }).toEqual({ name, accepted: validateSync(instance).length === 0 });
    }
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(50);
  });
});
