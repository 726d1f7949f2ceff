import type { SaleCompleted } from '@tandem/contracts';
import Ajv from 'ajv/dist/2020';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { deliveryIdOf, newDeliveryId, postbackBody } from './delivery.rules';

const SALE: SaleCompleted = {
  oid: 'sub-1',
  partnerId: 'partner-1',
  environment: 'live',
  promotionId: 'promotion-1',
  sharedId: '',
  emailMasked: '***@example.com',
  currency: 'EUR',
  items: [{ sku: 'Sell', tier: '', category: 'Pro "monthly"', quantity: '1', price: '9.00' }],
  soldAt: '2026-01-02T03:04:05Z',
  qualifiedAt: '2026-01-02T03:04:05Z',
};

describe('the body of a postback', () => {
  it('has exactly the fields of the partner interface, in order [postback-body.fields]', () => {
    expect(postbackBody({ ...SALE, more: 'than that' } as SaleCompleted)).toBe(
      '{"oid":"sub-1","sharedId":"","emailMasked":"***@example.com","currency":"EUR",' +
        '"items":[{"price":"9.00","quantity":"1","category":"Pro \\"monthly\\"","tier":"","sku":"Sell"}]}',
    );
  });
});

describe('the OpenAPI document of partners', () => {
  const document = JSON.parse(
    readFileSync(path.join(__dirname, '../../../../docs/openapi/partner-api.json'), 'utf8'),
  ) as { components: { schemas: { Postback: { properties: object } } } };
  const ajv = new Ajv({ strict: false }).addSchema(document, 'document');
  const isPostback = (body: unknown) => ajv.validate({ $ref: 'document#/components/schemas/Postback' }, body);

  it('describes exactly the fields of a postback’s body [interface.openapi-webhook]', () => {
    const body = JSON.parse(postbackBody(SALE)) as object;
    expect([isPostback(body), ajv.errors]).toEqual([true, null]);
    expect(Object.keys(document.components.schemas.Postback.properties)).toEqual(Object.keys(body));
    for (const field of Object.keys(body)) expect(isPostback({ ...body, [field]: undefined })).toBe(false);
    expect(isPostback({ ...body, items: [{ ...SALE.items[0], price: 9 }] })).toBe(false);
  });
});

describe('the webhook-id', () => {
  it('of a test send is a UUID of version 7 that starts with the time of the send', () => {
    const id = newDeliveryId(new Date('2026-01-02T03:04:05.678Z'));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse('2026-01-02T03:04:05.678Z'));
  });

  it('of a postback is the same for the same sale.completed event, and differs for another event', () => {
    const [one, other] = ['019b7c2b-5c4e-7000-8000-000000000001', '019b7c2b-5c4e-7000-8000-000000000002'];
    expect(deliveryIdOf(one, SALE)).toBe(deliveryIdOf(one, { ...SALE }));
    expect(deliveryIdOf(one, SALE)).not.toBe(deliveryIdOf(other, SALE));
  });
});
