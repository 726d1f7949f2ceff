import { errorFields } from './dispatch.errors';

const refused = Object.assign(new Error('null value in column "ssn": a private value'), {
  severity: 'ERROR',
  code: '23502',
  table: 'profile',
  column: 'ssn',
  detail: 'Failing row contains (a private value).',
});

describe('errorFields', () => {
  it('returns the SQL state, table and column of a database error, but no value, even if another error wraps it', () => {
    const names = { sqlState: '23502', table: 'profile', column: 'ssn' };
    const wrapped = new Error('could not save', { cause: Object.assign(new Error('query'), { driverError: refused }) });
    expect(errorFields(refused)).toMatchObject({ reason: 'database error 23502 (profile ssn)', ...names });
    expect(errorFields(wrapped)).toMatchObject({ reason: 'Error: could not save', ...names });
    expect(JSON.stringify([errorFields(refused), errorFields(wrapped)])).not.toContain('private');
  });

  it('returns the stack of any other error, and only a reason when the thrown value is not an error', () => {
    expect(errorFields(new TypeError('no'))).toEqual({
      reason: 'TypeError: no',
      stack: expect.stringMatching(/^\s+at /),
    });
    expect(errorFields('no')).toEqual({ reason: 'no' });
  });
});
