import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { fieldProblems } from '../errors/dto.pipe';
import {
  EnumField,
  EnumListField,
  FlagField,
  IdField,
  IntegerField,
  ListField,
  ObjectField,
  TextField,
  TextListField,
  TimeField,
} from './fields';

class Part {
  @IntegerField({ min: 1, max: 9 })
  count!: number;
}

class Whole {
  @TextField({ min: 1, max: 5, storable: true })
  name!: string;

  @TextField({ optional: true, pattern: /^[A-Z]{3}$/, message: '$property must be a currency' })
  currency?: string;

  @TimeField({ nullable: true })
  at!: string | null;

  @ObjectField(() => Part, { optional: true, nullable: true })
  part?: Part | null;

  @IdField({ optional: true })
  id?: string;

  @TextField({ min: 1, optional: true })
  note?: string;

  @TextField({ pattern: /^\d+$/, optional: true })
  digits?: string;

  @FlagField({ optional: true })
  isOn?: boolean;

  @EnumField(['a', 'b'], { optional: true })
  kind?: string;

  @EnumListField(['a', 'b'], { optional: true })
  kinds?: string[];

  @ListField(() => Part, { optional: true })
  parts?: Part[];

  @TextListField({ max: 3, maxItems: 2, optional: true })
  words?: string[];
}

const problemsOf = (value: object) => fieldProblems(validateSync(plainToInstance(Whole, value)));

describe('a field', () => {
  it.each([
    [{ name: 'a', at: null }],
    [{ name: '\ud83d\ude00', at: null }],
    [{ name: 'abcde', currency: 'USD', at: '2026-01-05T09:30:00+01:00', part: { count: 9 } }],
    [{ name: 'a', at: null, part: null }],
    [{ name: 'a', at: null, words: ['abc', 'a'] }],
    [{ name: 'a', at: null, words: [] }],
    [{ name: 'a', at: '2026-01-05T09:30Z' }],
    [{ name: 'a', at: '2026-01-05T09:30:00,5+0530' }],
  ])('accepts %j', (value) => {
    expect(problemsOf(value)).toEqual([]);
  });

  it.each([
    [{ at: null }, 'name', 'name must be a string'],
    [{ name: '', at: null }, 'name', 'name must be 1 to 5 characters long'],
    [{ name: 'abcdef', at: null }, 'name', 'name must be 1 to 5 characters long'],
    [{ name: 'a\0', at: null }, 'name', 'name must be without U+0000 and halves of surrogate pairs'],
    [{ name: 'a\ud800', at: null }, 'name', 'name must be without U+0000 and halves of surrogate pairs'],
    [{ name: 'a', at: null, currency: null }, 'currency', 'currency must be a string'],
    [{ name: 'a', at: null, currency: 'usd' }, 'currency', 'currency must be a currency'],
    [{ name: 'a' }, 'at', 'at must be an ISO 8601 date and time with an offset'],
    [{ name: 'a', at: '2026-01-05T09:30:00' }, 'at', 'at must be an ISO 8601 date and time with an offset'],
    [{ name: 'a', at: null, part: { count: '9' } }, 'part.count', 'count must be an integer'],
    [{ name: 'a', at: null, part: { count: 10 } }, 'part.count', 'count must be at most 9'],
    [{ name: 'a', at: null, part: { count: 0 } }, 'part.count', 'count must be at least 1'],
    [{ name: 'a', at: null, part: 'x' }, 'part', 'part must be an object'],
    [{ name: 'a', at: '2026-01-05T09:30:60Z' }, 'at', 'at must be an ISO 8601 date and time with an offset'],
    [{ name: 'a', at: null, id: 'x' }, 'id', 'id must be a UUID'],
    [{ name: 'a', at: null, note: '' }, 'note', 'note must be at least 1 character long'],
    [{ name: 'a', at: null, digits: 'x' }, 'digits', 'digits must be of the form ^\\d+$'],
    [{ name: 'a', at: null, isOn: 'x' }, 'isOn', 'isOn must be true or false'],
    [{ name: 'a', at: null, kind: 'x' }, 'kind', 'kind must be one of a, b'],
    [{ name: 'a', at: null, kinds: 'x' }, 'kinds', 'kinds must be a list'],
    [{ name: 'a', at: null, kinds: [] }, 'kinds', 'kinds must be a list of at least one'],
    [{ name: 'a', at: null, kinds: ['a', 'a'] }, 'kinds', 'kinds must be a list without repetitions'],
    [{ name: 'a', at: null, kinds: ['x'] }, 'kinds', 'kinds must be a list of these: a, b'],
    [{ name: 'a', at: null, parts: 'x' }, 'parts', 'parts must be a list of objects'],
    [{ name: 'a', at: null, words: 'x' }, 'words', 'words must be a list'],
    [{ name: 'a', at: null, words: ['a', 'b', 'c'] }, 'words', 'words must be a list of at most 2'],
    [{ name: 'a', at: null, words: ['abcd'] }, 'words', 'words must be a list of texts of 1 to 3 characters'],
    [{ name: 'a', at: null, words: [''] }, 'words', 'words must be a list of texts of 1 to 3 characters'],
    [{ name: 'a', at: null, words: [7] }, 'words', 'words must be a list of texts of 1 to 3 characters'],
    [{ name: 'a', at: null, words: ['a\0'] }, 'words', 'words must be a list of texts of 1 to 3 characters'],
  ])('is refused in %j: %s', (value, field, message) => {
    expect(problemsOf(value)).toEqual([{ field, message }]);
  });
});

describe('an integer from a text', () => {
  class Query {
    @IntegerField({ min: 1, max: 500, fromText: true })
    limit!: number;
  }
  const read = (limit: unknown) => {
    const query = plainToInstance(Query, { limit });
    return fieldProblems(validateSync(query)).length === 0 ? query.limit : 'refused';
  };

  it.each([
    ['1', 1],
    ['500', 500],
  ])('is read from %j', (text, value) => expect(read(text)).toBe(value));

  it.each(['', ' 5', '5 ', '+5', '-5', '05', '0x10', '0b11', '1e2', '5.0', 'Infinity', '٥', ['5']])(
    'is refused for %j',
    (text) => expect(read(text)).toBe('refused'),
  );
});
