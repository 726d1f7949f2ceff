import { findHoldReason } from './fraud.rules';

const limits = { maxSalesPerHour: 5, disposableDomains: ['mailinator.com'] };
const calm = { emailHash: 'a', emailMasked: 'j***e@example.com', partnerEmailHash: 'b', salesInHour: 0 };

describe('findHoldReason', () => {
  it('lets an ordinary sale through', () => {
    expect(findHoldReason(calm, limits)).toBeNull();
  });

  it("holds a purchase with the partner's own address", () => {
    expect(findHoldReason({ ...calm, partnerEmailHash: 'a' }, limits)).toBe('buyer_is_partner');
  });

  it('does not take two unknown addresses for the same', () => {
    expect(findHoldReason({ ...calm, emailHash: null, partnerEmailHash: null }, limits)).toBeNull();
  });

  it.each(['j***e@mailinator.com', '***@MAILINATOR.com', 'j***e@eu.mailinator.com'])('holds a sale to %s', (email) => {
    expect(findHoldReason({ ...calm, emailMasked: email }, limits)).toBe('disposable_email');
  });

  it.each(['j***e@notmailinator.com', 'm***m@mailinator.com.example.com', null])(
    'lets a sale to %s through',
    (email) => {
      expect(findHoldReason({ ...calm, emailMasked: email }, limits)).toBeNull();
    },
  );

  it('holds the sixth sale within an hour, not the fifth', () => {
    expect(findHoldReason({ ...calm, salesInHour: 4 }, limits)).toBeNull();
    expect(findHoldReason({ ...calm, salesInHour: 5 }, limits)).toBe('too_many_sales');
  });
});
