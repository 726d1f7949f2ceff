const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Returns whether the `Content-Type` allows a JSON body. A missing header is allowed, because every body is parsed as JSON anyway. */
export function isJsonContent(contentType: string | undefined): boolean {
  return contentType === undefined || JSON_TYPE.test(contentType.trim());
}
