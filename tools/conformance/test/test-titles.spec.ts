import { testTitlesOf } from '../src/test-titles';

const titlesOf = (source: string): string[] =>
  testTitlesOf('a.spec.ts', source).map(({ title, skipped }) => (skipped ? `(${title})` : title));

describe('the tests of a source', () => {
  it('have the titles of the describes around them', () => {
    expect(
      titlesOf(`describe('a', () => { describe("b", () => { it(\`c\`, () => {}); }); test('d', f); }); it('e', f);`),
    ).toEqual(['a › b › c', 'a › d', 'e']);
  });

  it('keep the placeholders of their cases', () => {
    expect(
      titlesOf(`describe.each([1])('a %s', () => { it.each<[string]>([['x']])('b %p', f); it.each\`x\`('c $x', f); })`),
    ).toEqual(['a %s › b %p', 'a %s › c $x']);
    expect(titlesOf('it(`a ${b} c`, f)')).toEqual(['a ${b} c']);
  });

  it('are found in loops, functions and the suites for Kafka', () => {
    expect(titlesOf(`for (const x of y) describe('a', () => { const many = () => it('b', f); many(); })`)).toEqual([
      'a › b',
    ]);
    expect(titlesOf(`describeKafka('a', () => { if (c) { it('b', f) } })`)).toEqual(['a › b']);
  });

  it('are marked when they are not run', () => {
    expect(
      titlesOf(`it.skip('a', f); it.todo('b'); describe.skip('c', () => { it('d', f) }); it.skip.each([1])('e', f)`),
    ).toEqual(['(a)', '(b)', '(c › d)', '(e)']);
  });

  it('are not taken from comments, texts and other calls', () => {
    expect(titlesOf(`// it('a', f)\nconst s = "it('b', f)"; visit('c', f); x.it('d', f); it(); it.each([1]);`)).toEqual(
      [],
    );
  });
});
