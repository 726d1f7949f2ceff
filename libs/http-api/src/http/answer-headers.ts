/**
 * On every answer, unless the route says otherwise: a browser takes a body for nothing but what its type says, and nothing in between keeps
 * an answer, which may be personal. What may be kept (discovery's lists, the API documents) says so by its own Cache-Control.
 */
export const ANSWER_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;
