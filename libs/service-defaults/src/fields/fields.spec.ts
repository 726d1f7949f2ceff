import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { fieldProblems } from '../errors/dto.pipe';
import { IntegerField, ObjectField, TextField, TimeField } from './fields';

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
}

const problemsOf = (value: object) => fieldProblems(validateSync(plainToInstance(Whole, value)));

describe('a field', () => {
  it.each([
    [{ name: 'a', at: null }],
    [{ name: 'abcde', currency: 'USD', at: '2026-01-05T09:30:00+01:00', part: { count: 9 } }],
    [{ name: 'a', at: null, part: null }],
  ])('takes %j', (value) => {
    expect(problemsOf(value)).toEqual([]);
  });

  it.each([
    [{ at: null }, 'name', 'name must be a string'],
    [{ name: '', at: null }, 'name', 'name must be longer than or equal to 1 characters'],
    [{ name: 'a\0', at: null }, 'name', expect.stringContaining('name should not contain')],
    [{ name: 'a', at: null, currency: null }, 'currency', 'currency must be a string'],
    [{ name: 'a', at: null, currency: 'usd' }, 'currency', 'currency must be a currency'],
    [{ name: 'a' }, 'at', 'at must be an ISO 8601 date and time with an offset'],
    [{ name: 'a', at: '2026-01-05T09:30:00' }, 'at', 'at must be an ISO 8601 date and time with an offset'],
    [{ name: 'a', at: null, part: { count: '9' } }, 'part.count', 'count must be an integer number'],
    [{ name: 'a', at: null, part: { count: 10 } }, 'part.count', 'count must not be greater than 9'],
  ])('of %j is refused: %s', (value, field, message) => {
    expect(problemsOf(value)).toEqual([{ field, message }]);
  });
});
