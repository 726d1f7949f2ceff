import { AttemptsExhaustedError, type FailureKind, withAttempts } from './attempts';
import { DeliveryAbortedError, describeError, PermanentEventError } from './dispatch.errors';

const run = (errors: unknown[], signal = new AbortController().signal, bound = 3) => {
  const kinds: FailureKind[] = [];
  const attempts: number[] = [];
  const result = withAttempts(
    (attempt) => {
      attempts.push(attempt);
      const error = errors.shift();
      return error === undefined ? Promise.resolve('done') : Promise.reject(error);
    },
    {
      tuning: { handlerBackoffMs: 1, handlerBackoffMaxMs: 2 },
      attempts: bound,
      signal,
      onFailure: (_, kind) => kinds.push(kind),
    },
  );
  return { result, kinds, attempts };
};

const coded = (code: string): Error => Object.assign(new Error(code), { code });
const database = (code: string): Error =>
  Object.assign(new Error('query failed'), { driverError: Object.assign(new Error('x'), { code, severity: 'ERROR' }) });

describe('attempts of a handler', () => {
  it('end when an attempt succeeds', async () => {
    const { result, attempts } = run([new Error('one')]);
    await expect(result).resolves.toBe('done');
    expect(attempts).toEqual([1, 2]);
  });

  it('end after the maximum number of failures', async () => {
    const last = new Error('three');
    const { result } = run([new Error('one'), new Error('two'), last]);
    await expect(result).rejects.toMatchObject({ attempts: 3, cause: last });
  });

  it('end immediately for a permanent error', async () => {
    const { result, attempts } = run([new PermanentEventError('never')]);
    await expect(result).rejects.toThrow(AttemptsExhaustedError);
    expect(attempts).toEqual([1]);
  });

  it('are not counted while the database is down, even when the handler wraps the database’s error', async () => {
    const wrapped = new Error('could not save', { cause: database('57P01') });
    const { result, kinds, attempts } = run([database('57P01'), wrapped, database('57P03')]);
    await expect(result).resolves.toBe('done');
    expect(kinds).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect(attempts).toEqual([1, 1, 1, 1]);
  });

  it('are counted when a connection to a server other than the database fails', async () => {
    const { result, kinds } = run([coded('ECONNREFUSED'), coded('ETIMEDOUT'), coded('ECONNRESET')]);
    await expect(result).rejects.toMatchObject({ attempts: 3 });
    expect(kinds).toEqual(['failed', 'failed', 'failed']);
  });

  it.each(['57014', '55P03', '25P03'])('are not counted after a database timeout (SQLSTATE %s)', async (code) => {
    const { result, kinds } = run(Array.from({ length: 4 }, () => database(code)));
    await expect(result).resolves.toBe('done');
    expect(kinds).toEqual(['timeout', 'timeout', 'timeout', 'timeout']);
  });

  it('are counted after a database timeout when only one attempt is allowed, as for a batch', async () => {
    const { result, kinds } = run([database('57014')], undefined, 1);
    await expect(result).rejects.toMatchObject({ attempts: 1 });
    expect(kinds).toEqual(['failed']);
  });

  it('are not counted for the first 50 deadlocks and serialization failures', async () => {
    const some = run([database('40P01'), database('40001')]);
    await expect(some.result).resolves.toBe('done');
    expect(some.attempts).toEqual([1, 1, 1]);
    const many = run(Array.from({ length: 60 }, () => database('40001')));
    await expect(many.result).rejects.toMatchObject({ attempts: 3 });
  }, 20_000);

  it('end when the consumer stops, even during a wait', async () => {
    const stop = new AbortController();
    const { result } = run(
      Array.from({ length: 50 }, () => database('57P01')),
      stop.signal,
    );
    setTimeout(() => stop.abort(), 20);
    await expect(result).rejects.toThrow(DeliveryAbortedError);
  });
});

describe('an error in one line', () => {
  it('contains the code, table and constraint of a database error, and no value', () => {
    const error = Object.assign(new Error('x'), {
      driverError: Object.assign(new Error('Key (email)=(a@b.c) exists'), {
        code: '23505',
        severity: 'ERROR',
        table: 'sale',
        constraint: 'sale_oid',
      }),
    });
    expect(describeError(error)).toBe('database error 23505 (sale sale_oid)');
  });

  it.each([
    ['a string', 'a string'],
    [null, 'null'],
    [{ odd: true }, 'thrown object without a message'],
    [new RangeError('two\nlines'), 'RangeError: two lines'],
  ])('describes %p', (error, line) => {
    expect(describeError(error)).toBe(line);
  });
});
