import { isRefId } from './ref-id.rules';

describe('isRefId', () => {
  it.each(['a', ' ', '~!@#$%^&*()', 'x'.repeat(200), '👩‍🚀', '👍'.repeat(200), 'żółw', '参考', 'a b', '%20'])(
    'accepts %p [checkout.ref-id-form]',
    (value) => {
      expect(isRefId(value)).toBe(true);
    },
  );

  it.each([
    '',
    'x'.repeat(201),
    '👍'.repeat(201),
    'a\nb',
    'a\tb',
    '\u0000',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u202e',
    '\ufeff',
    '\ud800',
    '\ue000',
    undefined,
    null,
    1,
    ['a'],
  ])('refuses %p [checkout.ref-id-form]', (value) => {
    expect(isRefId(value)).toBe(false);
  });
});
