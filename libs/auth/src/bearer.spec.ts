import { bearerTokenOf } from './bearer';

describe('the bearer token', () => {
  it.each<[string | undefined, string | null]>([
    ['Bearer a.b-c_d', 'a.b-c_d'],
    ['bearer x==', 'x=='],
    ['BEARER  x ', 'x'],
    ['Bearer', null],
    ['Bearer ', null],
    ['Bearer a b', null],
    ['Bearer a,b', null],
    ['Bearer a=b', null],
    ['Basic abc', null],
    ['xBearer abc', null],
    ['', null],
    [undefined, null],
  ])('of %j is %j', (header, token) => {
    expect(bearerTokenOf(header)).toBe(token);
  });

  it('has at most 8,192 characters', () => {
    expect(bearerTokenOf(`Bearer ${'a'.repeat(8_192)}`)).toBe('a'.repeat(8_192));
    expect(bearerTokenOf(`Bearer ${'a'.repeat(8_193)}`)).toBeNull();
  });
});
