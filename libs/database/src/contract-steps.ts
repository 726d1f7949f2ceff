/** Pattern of an SQL name, quoted or not. */
const NAME = '(?:"[^"]+"|\\w+)';
const TABLE = `((?:${NAME}\\.)?${NAME})`;

/**
 * Statements that break an older version of an app, or that empty, rewrite or lock a table: for each, a pattern and a
 * description.
 */
const CONTRACT_STEPS: readonly (readonly [pattern: RegExp, step: string])[] = [
  [/\bdrop\s+table\b/, 'drops a table'],
  [/\bdrop\s+(materialized\s+)?view\b/, 'drops a view'],
  [/\bdrop\s+(function|procedure)\b/, 'drops a function'],
  [/^\s*alter\s+table\b[^;]*?\bdrop\s+(?!(constraint|default|not|expression|identity)\b)/, 'drops a column'],
  [new RegExp(`\\balter\\s+(column\\s+)?${NAME}\\s+drop\\s+default\\b`), 'drops a default'],
  [/\brename\b/, 'renames something'],
  [new RegExp(`\\balter\\s+(column\\s+)?${NAME}\\s+(set\\s+data\\s+)?type\\b`), "changes a column's type"],
  [new RegExp(`\\balter\\s+(column\\s+)?${NAME}\\s+set\\s+not\\s+null\\b`), 'requires a column'],
  [/^\s*truncate\b/, 'removes all rows'],
  [/^\s*vacuum\b[^;]*\bfull\b|^\s*cluster\b/, 'rewrites the table'],
  [/^\s*reindex\b(?![^;]*\bconcurrently\b)/, 'creates an index that blocks writes'],
];

const UNRESTRICTED = '(?!.*\\bwhere\\b(?!\\s+true\\s*(?:$|returning\\b)))';
/**
 * `UPDATED_TABLE` and `EMPTIED_TABLE` match an update and a deletion of all rows of a table. They are applied to each
 * part that {@link nested} returns, because the condition of a subquery does not restrict the statement around it.
 */
const UPDATED_TABLE = new RegExp(
  `^\\s*(?:with\\b.*?\\s)?update\\s+(?:only\\s+)?${TABLE}\\s+(?:(?:as\\s+)?${NAME}\\s+)?set\\b${UNRESTRICTED}`,
  's',
);
const EMPTIED_TABLE = new RegExp(
  `^\\s*(?:with\\b.*?\\s)?delete\\s+from\\s+(?:only\\s+)?${TABLE}(?![\\w.])${UNRESTRICTED}`,
  's',
);
const CREATED_TABLE = new RegExp(`\\bcreate\\s+(?:unlogged\\s+)?table\\s+(?:if\\s+not\\s+exists\\s+)?${TABLE}`, 'g');
const ALTERED_TABLE = new RegExp(`^\\s*alter\\s+table\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?${TABLE}`);
/** Matches an added column with its definition, up to the next comma outside of parentheses. */
const ADDED_COLUMN = new RegExp(
  `\\badd\\s+(?:column\\s+)?(?:if\\s+not\\s+exists\\s+)?(?!(?:constraint|primary|unique|check|foreign|value)\\b)${NAME}\\s((?:\\([^)]*\\)|[^,;(])*)`,
  'g',
);
/**
 * Matches the definition of a column whose value Postgres cannot compute once for all rows. When such a column is added,
 * Postgres writes a value into every existing row, under a lock that stops reads and writes.
 */
const STORED_COLUMN =
  /\bgenerated\s+(always|by\s+default)\s+as\b|\bdefault\s[\s(]*(?:(?:"[^"]+"|\w+)\.)?(gen_random_uuid|uuid_\w+|random|clock_timestamp|nextval)\s*\(|^\s*(small|big)?serial\b/;
const ADDED_CONSTRAINT = /\badd\s+(constraint|primary\s+key|unique|check|foreign\s+key)\b/;
const CREATED_INDEX = new RegExp(
  `^\\s*create\\s+(?:unique\\s+)?index\\s+(concurrently\\s+)?.*?\\bon\\s+(?:only\\s+)?${TABLE}`,
  's',
);

/**
 * Finds the statements of a migration that would break an older version of the app that still runs, or would empty,
 * rewrite or lock a table. Statements that break an older version belong in a contract step, which is released when no
 * rollback to that version is planned any more. `alter table`, `update`, `delete` and `create index` are exempt on a
 * table that the migration itself creates.
 *
 * @param statements of one migration, in order
 * @returns the descriptions of the statements found
 */
export function contractStepsOf(statements: readonly string[]): string[] {
  const texts = statements.flatMap(partsOf);
  const created = new Set(texts.flatMap((text) => [...text.matchAll(CREATED_TABLE)].map(([, table]) => table)));
  return texts
    .filter((text) => !created.has(ALTERED_TABLE.exec(text)?.[1]))
    .flatMap((text) => [
      ...CONTRACT_STEPS.filter(([pattern]) => pattern.test(text)).map(([, step]) => step),
      ...(nested(text).some((part) => matchesOld(UPDATED_TABLE, part, created)) ? ['updates all rows'] : []),
      ...(nested(text).some((part) => matchesOld(EMPTIED_TABLE, part, created)) ? ['removes all rows'] : []),
      ...lockingSteps(text, created),
    ]);
}

/**
 * Returns the statements of a text in lower case, without comments and quoted texts. Includes the statements of `do`
 * blocks, except those that `execute` runs.
 */
const partsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/--.*|\/\*[^]*?\*\/|'(?:[^']|'')*'/g, ' ')
    .replaceAll(/\bdo\s+(?:language\s+\w+\s+)?(\$\w*\$)([^]*?)\1/g, (_block, _quote, body: string) =>
      withoutCases(body).replaceAll(/\b(begin|then|else|loop)\b/g, ';'),
    )
    .split(';');

/** Removes `case … end` expressions, the innermost ones first. */
function withoutCases(text: string): string {
  const rest = text.replaceAll(/\bcase\b(?:(?!\bcase\b)[^;])*?\bend\b/g, ' ');
  return rest === text ? text : withoutCases(rest);
}

/**
 * Splits a text by its parentheses: returns the text outside of all parentheses, and the text of each pair of
 * parentheses without the pairs inside it.
 */
function nested(text: string): string[] {
  const inner = [...text.matchAll(/\(([^()]*)\)/g)].map(([, part = '']) => part);
  return inner.length === 0 ? [text] : [...inner, ...nested(text.replaceAll(/\([^()]*\)/g, ' '))];
}

/** Returns whether a pattern matches a statement on a table that the migration does not create itself. */
function matchesOld(pattern: RegExp, text: string, created: ReadonlySet<string | undefined>): boolean {
  const table = pattern.exec(text)?.[1];
  return table !== undefined && !created.has(table);
}

function lockingSteps(text: string, created: ReadonlySet<string | undefined>): string[] {
  const columns = [...text.matchAll(ADDED_COLUMN)].map(([, definition = '']) => definition);
  const required = columns.some((column) => column.includes('not null') && !/\b(default|generated)\b/.test(column));
  const rewrites = columns.some((column) => STORED_COLUMN.test(column));
  const index = CREATED_INDEX.exec(text);
  return [
    ...(required ? ['adds a required column without a default'] : []),
    ...(rewrites ? ['rewrites the table'] : []),
    ...(ADDED_CONSTRAINT.test(text) && !text.includes('not valid') ? ['adds a constraint to existing rows'] : []),
    ...(index && index[1] === undefined && !created.has(index[2]) ? ['creates an index that blocks writes'] : []),
  ];
}
