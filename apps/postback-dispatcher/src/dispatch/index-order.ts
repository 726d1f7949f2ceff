/**
 * Makes a transaction read a part of a backlog in the order of an index. According to the table's statistics, almost nothing is ever due,
 * so Postgres would otherwise read and sort the whole backlog for each part: 100 ms instead of 2 for 100,000 rows.
 */
export const IN_INDEX_ORDER = 'set local enable_sort = off';
