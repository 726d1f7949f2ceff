/**
 * These headers are on every answer, unless the route sets its own. A browser must not guess the type of a body. No
 * cache may store an answer, because the answer may be personal. Answers that may be cached, such as discovery's lists
 * and the API documents, set their own Cache-Control.
 */
export const ANSWER_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;
