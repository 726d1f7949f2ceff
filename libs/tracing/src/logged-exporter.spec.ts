import { Logger } from '@nestjs/common';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { LoggedExporter } from './logged-exporter';

describe('LoggedExporter', () => {
  afterEach(() => jest.restoreAllMocks());

  it('reports and logs an export in which the exporter throws, instead of losing the spans silently', () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const exporter = {
      export: () => {
        throw new RangeError('not a number');
      },
    } as unknown as SpanExporter;
    const done = jest.fn();
    new LoggedExporter(exporter).export([], done);
    expect(done.mock.calls).toEqual([[{ code: 1, error: new RangeError('not a number') }]]);
    expect(warn.mock.calls).toEqual([[{ msg: 'spans cannot be exported', reason: 'not a number' }]]);
  });
});
