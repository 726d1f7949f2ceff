/**
 * Makes a transaction read a part of a backlog in the order of an index. Otherwise, Postgres would read and sort the whole backlog for each
 * part, because the table's statistics say that almost no rows belong to the backlog.
 *
 * JIT is disabled too. The statements also sort a few rows, which no index can replace. While sorting is disabled, Postgres estimates an
 * immense cost for such a sort. Postgres would therefore compile each statement to machine code, which takes longer than the statement
 * itself.
 */
export const IN_INDEX_ORDER = `select set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`;
