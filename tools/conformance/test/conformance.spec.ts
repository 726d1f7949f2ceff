import { idsOf, judge } from '../src/conformance';
import { renderDocument } from '../src/document';
import { pendingRule, rule, type Rule } from '../src/rules/rule';

const test = (title: string, passed = true, file = 'apps/a/test/one.spec.ts') => ({ file, title, passed });
const judged = (rules: Rule[], ...tests: ReturnType<typeof test>[]) => judge([{ title: 'A', rules }], tests);

describe('the ids in a title', () => {
  it.each([
    ['GET /x › answers 200 [x.answer]', ['x.answer']],
    ['answers 200 [x.answer, x.no-store]', ['x.answer', 'x.no-store']],
    ['answers [x.answer] to all', []],
    ['refuses ["a.b"]', []],
    ['refuses [1, 2]', []],
    ['answers 200', []],
  ])('"%s" are %p', (title, ids) => {
    expect(idsOf(title)).toEqual(ids);
  });
});

describe('a rule', () => {
  it('holds when each test that names it has passed', () => {
    const { problems, sections } = judged(
      [rule('x.y', 'X.')],
      test('one [x.y]'),
      test('two [x.y]', true, 'apps/b/test/a.spec.ts'),
      test('three', false),
    );
    expect(problems).toEqual([]);
    expect(sections[0]?.rules[0]?.files).toEqual(['apps/a/test/one.spec.ts', 'apps/b/test/a.spec.ts']);
  });

  it('without a test is a problem, as is a test that names an unknown rule', () => {
    expect(judged([rule('x.y', 'X.')], test('one [x.z]')).problems).toEqual([
      'x.z: no such rule, but "one [x.z]" in apps/a/test/one.spec.ts names it',
      'x.y: no test proves it',
    ]);
  });

  it('is unproven only when it is in force and there is no test result for it', () => {
    const rules = [rule('x.a', 'A.'), rule('x.b', 'B.'), pendingRule('the next release', 'x.c', 'C.')];
    expect(judged(rules, test('one [x.b]', false)).unproven.map(({ id }) => id)).toEqual(['x.a']);
  });

  it('with a test that has not passed is a problem', () => {
    expect(judged([rule('x.y', 'X.')], test('one [x.y]'), test('two [x.y]', false)).problems).toEqual([
      'x.y: "two [x.y]" in apps/a/test/one.spec.ts has not passed',
    ]);
  });

  it('must have a unique id', () => {
    expect(judged([rule('x.y', 'X.'), rule('x.y', 'Y.')], test('one [x.y]')).problems).toEqual([
      'x.y: two rules have this id',
    ]);
  });

  it('may be pending without a test, and is reported as ready when its tests pass', () => {
    const waiting = pendingRule('the next release', 'x.y', 'X.');
    expect(judged([waiting])).toMatchObject({ problems: [], ready: [] });
    expect(judged([waiting], test('one [x.y]')).ready.map(({ id }) => id)).toEqual(['x.y']);
  });
});

describe('the document', () => {
  it('links the files of each rule, and lists pending rules', () => {
    const { sections } = judged([rule('x.y', 'X.'), pendingRule('a vendor', 'x.z', 'Z.')], test('one [x.y]'));
    const document = renderDocument(sections);
    expect(document).toContain('1 promises are proven; 1 are pending');
    expect(document).toContain('- `x.y`: X.\n  - [apps/a/test/one.spec.ts](../apps/a/test/one.spec.ts)');
    expect(document).toContain('- `x.z`: Z. **Pending: a vendor.**');
  });
});
