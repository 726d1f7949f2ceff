import { isEmail, isKrn, parseTimestamp } from './field-rules';

describe('parseTimestamp', () => {
  it.each([
    ['2025-11-20T10:00:00Z', '2025-11-20T10:00:00.000Z'],
    ['2025-11-20t10:00:00z', '2025-11-20T10:00:00.000Z'],
    ['2025-11-20T10:00:00.123456789Z', '2025-11-20T10:00:00.123Z'],
    ['2025-11-20T10:00:00,5Z', '2025-11-20T10:00:00.500Z'],
    ['2025-11-20T10:00Z', '2025-11-20T10:00:00.000Z'],
    ['2025-11-20T10:00+0530', '2025-11-20T04:30:00.000Z'],
    ['2025-11-20T10:00:00+01:00', '2025-11-20T09:00:00.000Z'],
    ['2025-11-20T10:00:00+0530', '2025-11-20T04:30:00.000Z'],
    ['2025-11-20T00:00:00-08:00', '2025-11-20T08:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('reads %s as %s', (text, iso) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(iso);
  });

  it.each([
    '',
    'now',
    '2025-11-20',
    '2025-11-20T10:00:00',
    '2025-11-20 10:00:00Z',
    '2025-11-20T10Z',
    '20251120T100000Z',
    '2025-02-29T00:00:00Z',
    '2025-02-30T00:00:00Z',
    '2025-04-31T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-00-10T00:00:00Z',
    '2025-01-00T00:00:00Z',
    '2025-01-01T24:00:00Z',
    '2025-01-01T23:60:00Z',
    '2025-01-01T23:59:60Z',
    '2025-01-01T00:00:00+24:00',
    '2025-01-01T00:00:00+01:60',
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    '+012025-01-01T00:00:00Z',
    '1763632800',
    '2025-11-20T10:00:00Z\n',
    'Thu, 20 Nov 2025 10:00:00 GMT',
  ])('returns null for %j', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});

describe('isKrn', () => {
  it.each([
    ['krn:tandem:dev:user:u1', true],
    ['krn:a-1:b-2:user:A_z-9', true],
    [`krn:tandem:dev:user:${'a'.repeat(64)}`, true],
    [`krn:tandem:dev:user:${'a'.repeat(65)}`, false],
    ['krn:tandem:dev:user:', false],
    ['krn:Tandem:dev:user:u1', false],
    ['krn:tandem:dev:group:u1', false],
    ['krn:tandem::user:u1', false],
    [' krn:tandem:dev:user:u1', false],
    ['krn:tandem:dev:user:u1\n', false],
    [7, false],
    [null, false],
  ])('of %j is %s', (value, is) => {
    expect(isKrn(value)).toBe(is);
  });
});

describe('isEmail', () => {
  it.each([
    'a@b.co',
    'Jane.Doe+news@mail.example.com',
    "o'neil@example.com",
    '"two words"@example.com',
    'ü@bücher.example',
    'owner@example.com.',
    `${'a'.repeat(247)}@m.test`,
    `${'😀'.repeat(247)}@m.test`,
  ])('accepts %s', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  it.each([
    '',
    'a',
    'a@',
    '@b.co',
    'a@b',
    'a@b..co',
    'a@.b.co',
    'a@b.co..',
    'a@b@c.co',
    'a b@c.co',
    'a@b c.co',
    ' a@b.co',
    'a"b@c.co',
    '"a@b.co',
    'a\u0001@b.co',
    'a\0@b.co',
    'a\ud83d@b.co',
    `${'a'.repeat(248)}@m.test`,
    7,
    null,
    ['a@b.co'],
  ])('refuses %j', (value) => {
    expect(isEmail(value)).toBe(false);
  });
});
