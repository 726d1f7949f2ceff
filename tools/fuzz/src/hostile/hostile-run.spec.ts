import { checkOnly } from './hostile-run';

describe('checkOnly', () => {
  it('accepts no name, the name of an operation, and that of a sequence', () => {
    for (const name of [undefined, 'POST /admin/partners', 'a token that is used, revoked and used again']) {
      expect(() => checkOnly(name)).not.toThrow();
    }
  });

  it('refuses another name', () => {
    expect(() => checkOnly('POST /admin/partner')).toThrow(
      '--only: there is no operation or sequence named "POST /admin/partner"',
    );
  });
});
