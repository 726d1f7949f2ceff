const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Whether the body may be JSON by its `Content-Type`; a missing one is fine, the signature vouches for the bytes. */
export function isJsonContent(contentType: string | undefined): boolean {
  return contentType === undefined || JSON_TYPE.test(contentType.trim());
}
