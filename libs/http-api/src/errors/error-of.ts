/**
 * Creates the base class of an error with a fixed text.
 *
 * @param code the code on the wire, for programs
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
