import { InvalidCursorError, parseTimestamp } from '@tandem/http-api';

/** The position of a webhook in the list. A page begins after the last webhook of the previous page. */
export interface ListPosition {
  readonly receivedAt: string;
  readonly id: string;
}

export const encodeCursor = ({ receivedAt, id }: ListPosition): string =>
  Buffer.from(JSON.stringify([receivedAt, id]), 'utf8').toString('base64url');

/** @throws InvalidCursorError when the text is not a cursor of this list */
export function decodeCursor(cursor: string): ListPosition {
  try {
    const [receivedAt, id, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    const isPosition = typeof receivedAt === 'string' && parseTimestamp(receivedAt) && typeof id === 'string';
    if (isPosition && rest.length === 0 && !id.includes('\0')) return { receivedAt, id };
  } catch {
    // A text that cannot be parsed is refused like any other text that is not a cursor.
  }
  throw new InvalidCursorError();
}
