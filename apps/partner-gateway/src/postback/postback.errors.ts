export class PostbackNotConfiguredError extends Error {
  readonly code = 'postback_not_configured';

  constructor() {
    super('No postback is configured');
  }
}
