/**
 * Makes a transaction read a part of a backlog in the order of an index. Otherwise, Postgres would read and sort the whole backlog for each
 * part, because the table's statistics say that almost no rows belong to the backlog.
 *
 * The statements also sort a few rows, for which there is no other plan. Postgres then estimates an immense cost, and would compile each
 * statement to machine code (JIT), which takes longer than the statement.
 */
export const IN_INDEX_ORDER = `select set_config('enable_sort', 'off', true), set_config('jit', 'off', true)`;
