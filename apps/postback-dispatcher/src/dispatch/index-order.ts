/**
 * Makes a transaction read a part of a backlog in the order of an index. Otherwise, Postgres would read and sort the whole backlog for each
 * part, because the table's statistics say that almost no rows belong to the backlog.
 */
export const IN_INDEX_ORDER = 'set local enable_sort = off';
