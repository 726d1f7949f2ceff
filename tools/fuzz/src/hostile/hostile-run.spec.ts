import { checkOnly } from './hostile-run';

describe('checkOnly', () => {
  it('accepts the name of an operation, the name of a sequence, and undefined', () => {
    for (const name of [undefined, 'POST /admin/partners', 'a token that is used, revoked and used again']) {
      expect(() => checkOnly(name)).not.toThrow();
    }
  });

  it('refuses a name that no operation and no sequence has', () => {
    expect(() => checkOnly('POST /admin/partner')).toThrow(
      '--only: there is no operation or sequence named "POST /admin/partner"',
    );
  });
});
