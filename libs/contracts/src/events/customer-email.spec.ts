import { comparableDomainOf, emailHash, maskEmail } from './customer-email';

const KEY = Buffer.from('a key for tests only');

describe('emailHash', () => {
  it('is the HMAC-SHA-256 of the normalized address in hex', () => {
    expect(emailHash('jane@example.com', KEY)).toBe('cb5e69f2c3157e56c0c18c0536f00ee20b5b5cbf31a01b73dbc3ce9c0e4b2058');
  });

  it.each([' Jane@Example.com ', 'JANE@EXAMPLE.COM\n'])('ignores case and surrounding white space: %p', (email) => {
    expect(emailHash(email, KEY)).toBe(emailHash('jane@example.com', KEY));
  });

  it('is the same for a letter with a combining accent and for the composed letter', () => {
    expect(emailHash('jos\u0065\u0301@example.com', KEY)).toBe(emailHash('jos\u00e9@example.com', KEY));
  });

  it.each([
    ['full width letters and signs', '\uff4a\uff41\uff4e\uff45\uff20example\uff0ecom'],
    ['a trailing dot', 'jane@example.com.'],
    ['several trailing dots, one of them ideographic', 'jane@example.com.\u3002'],
    ['an ideographic full stop', 'jane@example\u3002com'],
    ['zero-width characters', 'ja\u200bne@exam\u200d\u2060ple.com\ufeff'],
    ['a soft hyphen', 'ja\u00adne@example.com'],
    ['a direction mark', '\u202ejane@example.com'],
    ['a plus tag', 'jane+shop@example.com'],
    ['two plus tags', 'jane+a+b@example.com'],
    ['quotes', '"jane"@example.com'],
    ['quotes and an escaped letter', '"j\\ane"@example.com'],
  ])('is the same for an address with %s', (_, email) => {
    expect(emailHash(email, KEY)).toBe(emailHash('jane@example.com', KEY));
  });

  it.each([
    ['jane@b\u00fccher.example', 'jane@xn--bcher-kva.example'],
    ['jane@BU\u0308CHER.example', 'jane@xn--bcher-kva.example'],
    ['j.a.n.e+x@Gmail.com', 'jane@gmail.com'],
    ['jane@googlemail.com.', 'jane@gmail.com'],
  ])('is the same for %s and %s', (one, other) => {
    expect(emailHash(one, KEY)).toBe(emailHash(other, KEY));
  });

  it.each([
    ['j.ane@example.com', 'jane@example.com'],
    ['+jane@example.com', '+joe@example.com'],
    ['jane@example.com', 'jane@mail.example.com'],
    ['jane@exa_mple.com', 'jane@exa_mple.org'],
  ])('differs for %s and %s', (one, other) => {
    expect(emailHash(one, KEY)).not.toBe(emailHash(other, KEY));
  });

  it('differs if the key differs', () => {
    expect(emailHash('jane@example.com', Buffer.from('another'))).not.toBe(emailHash('jane@example.com', KEY));
  });
});

describe('maskEmail', () => {
  it.each([
    ['jane.doe@example.com', 'j***e@example.com'],
    ['joe@example.com', 'j***e@example.com'],
    ['jo@example.com', '***@example.com'],
    ['j@example.com', '***@example.com'],
    [' Jane@Example.com ', 'J***e@Example.com'],
    ['"a@b"@example.com', '"***"@example.com'],
    ['😀x😎@example.com', '😀***😎@example.com'],
    ['😀😎@example.com', '***@example.com'],
    ['søren@exämple.com', 's***n@exämple.com'],
  ])('masks %j as %j [postback-body.email-masked]', (email, masked) => {
    expect(maskEmail(email)).toBe(masked);
  });
});

describe('comparableDomainOf', () => {
  it.each([
    ['j***e@mailinator.com', 'mailinator.com'],
    ['***@MAILINATOR.com.', 'mailinator.com'],
    ['j***e@mailin\u200bator\uff0ecom', 'mailinator.com'],
    ['j***e@b\u00fccher.example', 'xn--bcher-kva.example'],
    ['j***e@exa_mple.com', 'exa_mple.com'],
    ['nobody', ''],
  ])('of %j is %j', (email, domain) => {
    expect(comparableDomainOf(email)).toBe(domain);
  });
});
