/** The URL of a configuration is refused. The message completes the sentence "url …". */
export class PostbackUrlRefusedError extends Error {
  readonly code = 'validation_failed';
  override readonly name = 'PostbackUrlRefusedError';
}

/**
 * A connection or a saved URL was refused, for one of three reasons. The host is an address that is not allowed; the host is a name that
 * resolves to such an address; or the rules refuse the saved URL for another reason.
 */
export class AddressRefusedError extends Error {
  readonly code = 'ESSRFREFUSED';
  override readonly name = 'AddressRefusedError';

  constructor(readonly host: string) {
    super('the host has an address that is not publicly reachable');
  }
}

/** The host's name did not resolve. */
export class NameNotResolvedError extends Error {
  readonly code = 'ENAMENOTRESOLVED';
  override readonly name = 'NameNotResolvedError';

  constructor(
    readonly host: string,
    options?: ErrorOptions,
  ) {
    super('the host name does not resolve', options);
  }
}
