import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { ConcurrentUpdateError, isDatabaseUnavailable, isRetryableConflict } from './errors';

describe('isDatabaseUnavailable', () => {
  it.each([
    ['TypeORM’s error for a connection that broke during a transaction', new QueryRunnerAlreadyReleasedError()],
    ['TypeORM’s error for a connection that broke before a transaction', new QueryRunnerProviderAlreadyReleasedError()],
    ['a server that shuts down', Object.assign(new Error('terminating connection'), { code: '57P01' })],
    ['a full server', Object.assign(new Error('too many clients'), { code: '53300' })],
    ['a role that may not log in', Object.assign(new Error('not permitted to log in'), { code: '28000' })],
    ['a server that accepts only reads', Object.assign(new Error('read-only transaction'), { code: '25006' })],
  ])('counts %s as an outage', (_, error) => expect(isDatabaseUnavailable(error)).toBe(true));

  it.each([
    ['a wrong statement', Object.assign(new Error('syntax error'), { code: '42601' })],
    ['a violated constraint', Object.assign(new Error('duplicate key'), { code: '23505' })],
    ['a refused connection to another server', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['a statement timeout', Object.assign(new Error('canceling statement'), { code: '57014' })],
    ['a bug', new TypeError('undefined is not a function')],
    ['undefined', undefined],
  ])('does not count %s as an outage', (_, error) => expect(isDatabaseUnavailable(error)).toBe(false));
});

describe('isRetryableConflict', () => {
  it('is true for a ConcurrentUpdateError, and false for an error without a code', () => {
    expect(isRetryableConflict(new ConcurrentUpdateError('another transaction was faster'))).toBe(true);
    expect(isRetryableConflict(new Error('a bug'))).toBe(false);
  });
});
