/** What each rule requires of the value of a field. If a value breaks a rule, the message is `<field> must be …`. */
export const MUST_BE = {
  text: 'must be a string',
  storable: 'must be without U+0000 and halves of surrogate pairs',
  uuid: 'must be a UUID',
  time: 'must be an ISO 8601 date and time with an offset',
  integer: 'must be an integer',
  number: 'must be a number',
  flag: 'must be true or false',
  object: 'must be an object',
  list: 'must be a list',
  objects: 'must be a list of objects',
  ofLength: (min?: number, max?: number): string => `must be ${lengthOf(min, max)} long`,
  ofForm: (pattern: RegExp): string => `must be of the form ${pattern.source}`,
  atLeast: (min: number): string => `must be at least ${min}`,
  atMost: (max: number): string => `must be at most ${max}`,
  oneOf: (values: readonly unknown[]): string => `must be one of ${values.join(', ')}`,
  listOf: (values: readonly string[]): string => `must be a list of these: ${values.join(', ')}`,
  withoutRepetitions: 'must be a list without repetitions',
  notEmpty: 'must be a list of at least one',
  texts: (max: number): string => `must be a list of texts of ${lengthOf(1, max)}`,
  ofAtMost: (count: number): string => `must be a list of at most ${count}`,
};

function lengthOf(min?: number, max?: number): string {
  if (min === undefined) return `at most ${characters(max as number)}`;
  if (max === undefined) return `at least ${characters(min)}`;
  return min === max ? characters(min) : `${min} to ${characters(max)}`;
}

const characters = (count: number): string => `${count} ${count === 1 ? 'character' : 'characters'}`;
