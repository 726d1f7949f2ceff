const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Returns whether the `Content-Type` allows a JSON body. The header may be missing, because the signature authenticates the bytes. */
export function isJsonContent(contentType: string | undefined): boolean {
  return contentType === undefined || JSON_TYPE.test(contentType.trim());
}
