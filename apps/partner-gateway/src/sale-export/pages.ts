/**
 * Yields the pages of a list. The next page is read only after the caller has consumed the previous one.
 *
 * @param first the first page
 * @param size the number of rows of each page except the last
 * @param read returns the page that follows the given row
 */
export async function* pagesFrom<T>(first: T[], size: number, read: (after: T) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let page = first; ;) {
    yield page;
    const last = page.at(-1);
    if (page.length < size || last === undefined) return;
    page = await read(last);
  }
}
