/**
 * Makes the base class of an error with a fixed text.
 *
 * @param code on the wire: what programs decide by
 * @param message the detail, for people
 */
export function ErrorOf(code: string, message: string): new () => Error & { readonly code: string } {
  return class extends Error {
    readonly code = code;

    constructor() {
      super(message);
    }
  };
}
