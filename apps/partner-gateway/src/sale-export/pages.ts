/**
 * Yields the pages of a list. A page is read only when the caller has used the previous one.
 *
 * @param size the number of rows of each page but the last
 * @param read returns the page after a row
 */
export async function* pagesFrom<T>(first: T[], size: number, read: (after: T) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let page = first; ;) {
    yield page;
    const last = page.at(-1);
    if (page.length < size || last === undefined) return;
    page = await read(last);
  }
}
