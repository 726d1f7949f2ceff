import type { CallOptions } from '../../../sdks/typescript/options.ts';
import type { Transport } from '../../../sdks/typescript/transport.ts';

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** Reads a list page by page. A page is read when all items of the previous page have been used. */
export async function* itemsOf<T>(
  transport: Transport,
  path: string,
  filter: Readonly<Record<string, unknown>>,
  options?: CallOptions,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | null = null;
  do {
    const query = { ...filter, cursor };
    const page: Page<T> = await transport.send({ method: 'GET', path, query, repeatable: 'always' }, options);
    yield* page.items;
    cursor = page.hasMore ? page.nextCursor : null;
  } while (cursor !== null);
}

/** Returns an id as a segment of a path. @throws TypeError for an empty id, and for `.` and `..`, which would name another path */
export function segment(id: string): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id))
    throw new TypeError('the id must be an id from the platform, so it must be neither empty nor "." nor ".."');
  return encodeURIComponent(id);
}
