import { currentEvent } from '@tandem/messaging';
import { currentTraceId } from '@tandem/tracing';
import { createLogger } from './logger';

jest.mock('@tandem/messaging', () => ({ currentEvent: jest.fn() }));
jest.mock('@tandem/tracing', () => ({ currentTraceId: jest.fn() }));

function lineOf(fields: object): Record<string, unknown> {
  let text = '';
  createLogger('sample', 'info', { write: (line: string) => void (text += line) }).info(fields);
  return JSON.parse(text) as Record<string, unknown>;
}

describe('a log line', () => {
  it('names the event that is being handled, including its key', () => {
    jest.mocked(currentEvent).mockReturnValueOnce({ id: 'e-1', topic: 'sale.completed', key: 'sub_1' });
    expect(lineOf({ msg: 'x' })).toMatchObject({ eventId: 'e-1', topic: 'sale.completed', eventKey: 'sub_1' });
  });

  it('has the id of its trace', () => {
    jest.mocked(currentTraceId).mockReturnValueOnce('0af7651916cd43dd8448eb211c80319c');
    expect(lineOf({ msg: 'x' })).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c' });
    expect(lineOf({ msg: 'x' })).not.toHaveProperty('traceId');
  });

  it('has no secrets at the top level and on the two levels below it', () => {
    const line = lineOf({ key: 'k', headers: { authorization: 'a' }, a: { b: { token: 't' } }, oid: 'sub_1' });
    expect(line).toMatchObject({
      key: '[redacted]',
      headers: { authorization: '[redacted]' },
      a: { b: { token: '[redacted]' } },
      oid: 'sub_1',
    });
  });

  it('has the fields of an error, without its secrets', () => {
    const error = Object.assign(new TypeError('broken'), {
      parameters: ['p'],
      driverError: { code: '22P02', token: 't' },
    });
    expect(lineOf({ err: error })).toMatchObject({
      msg: 'broken',
      err: {
        type: 'TypeError',
        stack: expect.stringContaining('broken'),
        parameters: '[redacted]',
        driverError: { code: '22P02', token: '[redacted]' },
      },
    });
  });

  it('has no secrets in lists, and leaves the logged object unchanged', () => {
    const fields = { list: [{ token: 't', oid: 'o' }], at: new Date(0) };
    expect(lineOf(fields)).toMatchObject({ list: [{ token: '[redacted]', oid: 'o' }], at: '1970-01-01T00:00:00.000Z' });
    expect(fields.list[0]?.token).toBe('t');
  });
});
