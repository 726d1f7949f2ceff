import { nestingDepth } from './nesting';

describe('nestingDepth', () => {
  it.each([
    ['5', 0],
    ['{}', 1],
    ['{"a":[{}],"b":{}}', 3],
    ['{"a":"[[[{{{"}', 1],
    [String.raw`{"a":"\"[[["}`, 1],
    [String.raw`{"a":"\\","b":[]}`, 2],
    ['[]'.repeat(50), 1],
  ])('of %s is %i', (text, depth) => {
    expect(nestingDepth(text)).toBe(depth);
  });
});
