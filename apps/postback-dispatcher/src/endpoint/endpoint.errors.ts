/** The partner has no configuration in this environment. */
export class PostbackNotConfiguredError extends Error {
  readonly code = 'postback_not_configured';
  override readonly name = 'PostbackNotConfiguredError';

  constructor() {
    super('No postback is configured.');
  }
}
