import { keyProblem, missingKeyProblem, previousSecretsAfterRotation } from './endpoint.rules';

describe('a Bearer key', () => {
  it.each(['k', 'a'.repeat(512), '!~abc-._='])('is accepted: %s [postback.bearer-key]', (key) =>
    expect(keyProblem('Bearer', key)).toBeNull(),
  );
  it.each([
    ['empty', ''],
    ['too long', 'a'.repeat(513)],
    ['with a space', 'a b'],
    ['with a line end', 'a\nb'],
    ['not ASCII', 'clé'],
  ])('is refused: %s [postback.bearer-key]', (_, key) => expect(keyProblem('Bearer', key)).toMatch(/visible ASCII/));
});

describe('a Basic key', () => {
  it.each([
    'user:password',
    'user:',
    'üser:pässwörd',
    'user:with:colons',
    'a b:c d',
    'user:😀',
    `user:${'a'.repeat(507)}`,
    `user:${'ü'.repeat(253)}`,
  ])('is accepted: %s [postback.basic-key]', (key) => expect(keyProblem('Basic', key)).toBeNull());
  it.each([
    ['longer than 512 bytes', `user:${'a'.repeat(508)}`],
    ['longer than 512 bytes in UTF-8', `user:${'ü'.repeat(254)}`],
    ['of 60,000 characters', `user:${'a'.repeat(59_995)}`],
    ['without a colon', 'user'],
    ['without a user', ':password'],
    ['empty', ''],
    ['with a control character', 'user:pass\nword'],
    ['with a DEL character', 'user:\u007f'],
    ['with a lone surrogate', 'user:\ud800'],
  ])('is refused: %s [postback.basic-key]', (_, key) => expect(keyProblem('Basic', key)).not.toBeNull());
});

describe('omitting the key', () => {
  it('is an error when the configuration is created', () => expect(missingKeyProblem('Bearer', null)).not.toBeNull());
  it('is an error when the authentication method changes [postback.key-needed]', () =>
    expect(missingKeyProblem('Basic', 'Bearer')).not.toBeNull());
  it('keeps the stored key when the method stays the same [postback.key-kept]', () =>
    expect(missingKeyProblem('Basic', 'Basic')).toBeNull());
});

describe('rotating the signing secret', () => {
  const now = new Date(1000);

  it('keeps secrets that still sign, newest first, and drops expired ones [postback.rotate-overlap]', () => {
    const before = [
      { secret: 'b', until: 1001 },
      { secret: 'a', until: 1000 },
    ];
    expect(previousSecretsAfterRotation({ secret: 'c', until: 5000 }, before, now).map(({ secret }) => secret)).toEqual(
      ['c', 'b'],
    );
  });

  it('keeps at most four previous secrets', () => {
    const before = Array.from({ length: 9 }, (_, index) => ({ secret: String(index), until: 5000 }));
    expect(previousSecretsAfterRotation({ secret: 'new', until: 5000 }, before, now)).toHaveLength(4);
  });
});
