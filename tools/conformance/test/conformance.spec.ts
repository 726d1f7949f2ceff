import { findTests, judge } from '../src/conformance';
import { renderDocument } from '../src/document';
import { pendingRule, rule, type Rule } from '../src/rules/rule';

const test = (file: string, title: string, skipped = false) => ({ file, title, skipped });
const TESTS = [
  test('apps/a/test/one.spec.ts', 'GET /x (all) › answers %s'),
  test('apps/a/test/one.spec.ts', 'GET /x (all) › writes `nothing`'),
  test('apps/b/test/one.spec.ts', 'POST /x › answers %s'),
  test('apps/b/test/two.spec.ts', 'deep › deeper › is there'),
  test('apps/b/test/two.spec.ts', 'deep › is off', true),
];
const judged = (...rules: Rule[]) => judge([{ title: 'A', rules }], TESTS);

describe('a reference', () => {
  it.each([
    ['one.spec.ts › GET /x (all) › answers %s', 1],
    ['a/test/one.spec.ts › * › answers %s', 1],
    ['one.spec.ts › * › answers %s', 2],
    ['ne.spec.ts › * › answers %s', 0],
    ['one.spec.ts › GET /x (all) › *', 2],
    ['two.spec.ts › * › is there', 0],
    ['two.spec.ts › * › * › is there', 1],
    ['one.spec.ts › GET /x .all. › answers %s', 0],
    ['one.spec.ts', 0],
  ])('%s names %i tests', (reference, count) => {
    expect(findTests(reference, TESTS)).toHaveLength(count);
  });
});

describe('a rule', () => {
  it('holds with a test', () => {
    expect(judged(rule('x', 'X.', 'two.spec.ts › * › * › is there')).problems).toEqual([]);
  });

  it('is a problem without one', () => {
    expect(judged(rule('x', 'X.')).problems).toEqual(['x: no test proves it']);
  });

  it('is a problem when one of its tests is gone', () => {
    const found = judged(rule('x', 'X.', 'two.spec.ts › deep › deeper › is there', 'two.spec.ts › deep › was there'));
    expect(found.problems).toEqual(['x: there is no test "two.spec.ts › deep › was there"']);
  });

  it('is not proven by a test that is skipped', () => {
    expect(judged(rule('x', 'X.', 'two.spec.ts › deep › is off')).problems).toEqual([
      'x: "two.spec.ts › deep › is off" is skipped',
      'x: no test proves it',
    ]);
  });

  it('is a problem when a reference names tests of two files', () => {
    const { problems } = judged(rule('x', 'X.', 'one.spec.ts › * › answers %s'));
    expect(problems).toEqual([
      'x: "one.spec.ts › * › answers %s" is in apps/a/test/one.spec.ts and apps/b/test/one.spec.ts',
    ]);
  });

  it('has an id of its own', () => {
    const reference = 'two.spec.ts › deep › deeper › is there';
    expect(judged(rule('x', 'X.', reference), rule('x', 'Y.', reference)).problems).toEqual([
      'x: two rules have this id',
    ]);
  });

  it('may be pending without a test, and is ready when it has one', () => {
    const found = judged(
      pendingRule('soon', 'x', 'X.'),
      pendingRule('soon', 'y', 'Y.', 'two.spec.ts › deep › deeper › is there'),
    );
    expect(found.problems).toEqual([]);
    expect(found.ready.map(({ id }) => id)).toEqual(['y']);
  });
});

describe('the document', () => {
  it('lists each rule with its tests by file, and what is pending once more', () => {
    const { sections } = judged(
      rule('x', 'X `x`.', 'a/test/one.spec.ts › * › *', 'two.spec.ts › deep › deeper › is there'),
      pendingRule('soon', 'y', 'Y.'),
    );
    const document = renderDocument(sections);
    expect(document).toContain('**1 rules are proven by 3 tests; 1 are pending.**');
    expect(document).toContain(
      [
        '- `x`: X `x`.',
        '  - [apps/a/test/one.spec.ts](../apps/a/test/one.spec.ts)',
        '    - `GET /x (all) › answers %s`',
        '    - `` GET /x (all) › writes `nothing` ``',
        '  - [apps/b/test/two.spec.ts](../apps/b/test/two.spec.ts)',
        '    - `deep › deeper › is there`',
        '- `y`: Y. **Pending: soon.**',
      ].join('\n'),
    );
    expect(document).toMatch(/## Pending\n\n- `y`: soon\n/);
  });
});
