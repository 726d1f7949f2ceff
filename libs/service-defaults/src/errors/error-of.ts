/**
 * The class that an error extends whose text is always the same.
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
