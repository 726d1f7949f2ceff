/**
 * Starts a transaction that reads a part of a backlog along an index in its order. According to the table's statistics almost nothing is
 * ever due, so Postgres would rather read and sort the whole backlog for each part: 100 ms instead of 2 for 100,000 rows.
 */
export const IN_INDEX_ORDER = 'set local enable_sort = off';
