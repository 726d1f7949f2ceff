import { parseOptions } from './parse-options.js';

const options = /** @type {const} */ ({
  faults: { type: 'string', short: 'f' },
  list: { type: 'boolean' },
  app: { type: 'string', multiple: true },
});
const parse = (...args) => parseOptions({ args, options, allowPositionals: true });

describe('the options of a command', () => {
  it.each([
    [['--faults', '5', '--faults', '6'], '--faults is given twice'],
    [['--faults=5', '-f', '5'], '--faults is given twice'],
    [['--list', '--list'], '--list is given twice'],
    [['--fault', '5'], "Unknown option '--fault'"],
  ])('refuse %p', (args, message) => {
    const refusal = expect.objectContaining({
      message: expect.stringContaining(message),
      code: expect.stringMatching(/^ERR_PARSE_ARGS/),
    });
    expect(() => parse(...args)).toThrow(refusal);
  });

  it('refuse an unknown option in one sentence, without advice about positionals that start with a dash', () => {
    expect(() => parse('--fault')).toThrow(/^Unknown option '--fault'$/);
  });

  it('accept a repeated option that may have several values, and repeated positionals', () => {
    const { values, positionals } = parse('--app', 'a', '--app', 'b', 'one', 'one', '--', '--list', '--list');
    expect({ ...values }).toEqual({ app: ['a', 'b'] });
    expect(positionals).toEqual(['one', 'one', '--list', '--list']);
  });
});
