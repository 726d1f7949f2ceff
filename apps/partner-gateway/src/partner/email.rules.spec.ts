import { emailHash, maskEmail } from './email.rules';

const KEY = Buffer.from('a key for tests only');

describe('emailHash', () => {
  it('is the HMAC-SHA-256 of the normalised address in hex', () => {
    expect(emailHash('jane@example.com', KEY)).toBe('cb5e69f2c3157e56c0c18c0536f00ee20b5b5cbf31a01b73dbc3ce9c0e4b2058');
  });

  it.each([' Jane@Example.com ', 'JANE@EXAMPLE.COM\n'])('is the same for %p', (email) => {
    expect(emailHash(email, KEY)).toBe(emailHash('jane@example.com', KEY));
  });

  it('is the same for composed and decomposed letters', () => {
    expect(emailHash('jos\u0065\u0301@example.com', KEY)).toBe(emailHash('jos\u00e9@example.com', KEY));
  });

  it('differs with the key', () => {
    expect(emailHash('jane@example.com', Buffer.from('another'))).not.toBe(emailHash('jane@example.com', KEY));
  });
});

describe('maskEmail', () => {
  it.each([
    ['jane.doe@example.com', 'j***e@example.com'],
    ['joe@example.com', 'j***e@example.com'],
    ['jo@example.com', '***@example.com'],
    ['j@example.com', '***@example.com'],
    ['"a@b"@example.com', '"***"@example.com'],
  ])('masks %s as %s', (email, masked) => {
    expect(maskEmail(email)).toBe(masked);
  });
});
