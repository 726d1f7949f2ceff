/**
 * Begins a transaction that reads a part of a backlog along an index that has its order. By the table's statistics nearly nothing is
 * due at any time, and Postgres would rather read the whole backlog and sort it, for each part: 100 ms instead of 2 of 100,000.
 */
export const IN_INDEX_ORDER = 'set local enable_sort = off';
