import { maskedBody } from './masked-body';

describe('maskedBody', () => {
  it('shows the known fields of a purchase, but masks its e-mail address, coupon code, checkout token and unknown fields', () => {
    const body = {
      id: 'evt_1',
      type: 'subscription.purchased',
      data: {
        subscriptionId: 'sub_1',
        customer: { krn: 'krn:a:b:user:c', email: 'jane.doe@example.com', name: 'Jane Doe' },
        entitlements: ['idp.identity'],
        firstPayment: true,
        items: [{ price: '1.00', quantity: 2, note: 'for Jane' }],
        attribution: { checkoutToken: 'secret', promotionCode: 'CODE', data4: null },
        couponCode: 'ABCD-EFGH-JKLM-NPQR',
      },
    };
    expect(maskedBody('payments', body)).toEqual({
      ...body,
      data: {
        ...body.data,
        customer: { krn: 'krn:a:b:user:c', email: 'j***e@example.com', name: '***' },
        items: [{ price: '1.00', quantity: 2, note: '***' }],
        attribution: { checkoutToken: '***', promotionCode: 'CODE', data4: null },
        couponCode: '***',
      },
    });
  });

  it('masks unknown fields, including numbers, and fields with a known name at an unknown path', () => {
    const details = { appKey: 'key', clientKey: 'u1', ssn: 123456789, person: { clientKey: 'Jane', list: ['Doe'] } };
    expect(maskedBody('array', { service: 'users', event: 1, method: 'x', details })).toEqual({
      service: 'users',
      event: 1,
      method: 'x',
      details: { appKey: '***', clientKey: 'u1', ssn: '***', person: { clientKey: '***', list: ['***'] } },
    });
  });
});
