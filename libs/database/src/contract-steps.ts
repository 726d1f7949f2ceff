import { affectsAllRows, NAME, partsInParentheses } from './row-condition';

type Names = ReadonlySet<string | undefined>;

const TABLE = `((?:${NAME}\\.)?${NAME})`;

/** A statement of a migration that breaks an older version of the app, or that empties, rewrites or locks a table. */
export interface ContractStep {
  /** What the statement does, such as `drops a column`. */
  readonly step: string;
  /** The statement in lower case and on one line, at most 200 characters of it. */
  readonly statement: string;
}

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

/**
 * `UPDATED_TABLE` matches an update, and `EMPTIED_TABLE` a deletion. Both capture the table, and the rest of the
 * statement. They are applied to each part that {@link partsInParentheses} returns, because the condition of a subquery does not
 * restrict the statement around it.
 */
const UPDATED_TABLE = new RegExp(
  `^\\s*(?:with\\b.*?\\s)?update\\s+(?:only\\s+)?${TABLE}\\s+(?:(?:as\\s+)?${NAME}\\s+)?set\\b(.*)`,
  's',
);
const EMPTIED_TABLE = new RegExp(`^\\s*(?:with\\b.*?\\s)?delete\\s+from\\s+(?:only\\s+)?${TABLE}(?![\\w.])(.*)`, 's');
const CREATED_TABLE = new RegExp(`\\bcreate\\s+(?:unlogged\\s+)?table\\s+(?:if\\s+not\\s+exists\\s+)?${TABLE}`, 'g');
const ALTERED_TABLE = new RegExp(`^\\s*alter\\s+table\\s+(?:if\\s+exists\\s+)?(?:only\\s+)?${TABLE}`);
/** Matches an added column: its name, and its definition up to the next comma outside of parentheses. */
const ADDED_COLUMN = new RegExp(
  `\\badd\\s+(?:column\\s+)?(?:if\\s+not\\s+exists\\s+)?(?!(?:constraint|primary|unique|check|foreign|value)\\b)(${NAME})\\s((?:\\([^)]*\\)|[^,;(])*)`,
  'g',
);
const ADDED_CONSTRAINT = /\badd\s+(constraint|primary\s+key|unique|check|foreign\s+key)\b/;
const CREATED_INDEX = new RegExp(
  `^\\s*create\\s+(?:unique\\s+)?index\\s+(concurrently\\s+)?.*?\\bon\\s+(?:only\\s+)?${TABLE}`,
  's',
);

/**
 * Finds the statements of a migration that do harm:
 * - Statements that would break an older version of the app, which may still run. Such a statement belongs in a
 *   contract step, which is released when no rollback to that version is planned any more.
 * - Statements that would empty or lock a table, or change all of its rows.
 *
 * `alter table`, `update`, `delete` and `create index` are exempt on a table that the migration itself creates. Not
 * every `alter table` that makes Postgres rewrite the table is found.
 *
 * @param statements of one migration, in order
 * @returns the statements found, once for each thing that they do
 */
export function contractStepsOf(statements: readonly string[]): ContractStep[] {
  const texts = statements.flatMap(partsOf);
  const created = new Set(texts.flatMap((text) => [...text.matchAll(CREATED_TABLE)].map(([, table]) => table)));
  const unset = new Set(texts.flatMap(unsetColumns));
  return texts
    .filter((text) => !created.has(ALTERED_TABLE.exec(text)?.[1]))
    .flatMap((text) => stepsOf(text, created, unset).map((step) => ({ step, statement: shortened(text) })));
}

/**
 * Returns the things that a statement does and that are not allowed, such as `drops a column`.
 *
 * @param unset the columns that have no value in any row, because the migration adds them, as `table.column`
 */
function stepsOf(text: string, created: Names, unset: Names): string[] {
  const parts = partsInParentheses(text);
  const changesAll = (pattern: RegExp): boolean =>
    parts.some((part) => {
      const [, table, rest = ''] = pattern.exec(part) ?? [];
      if (table === undefined || created.has(table)) return false;
      return affectsAllRows(rest, parts, (column) => unset.has(`${plain(table)}.${column}`));
    });
  return [
    ...CONTRACT_STEPS.filter(([pattern]) => pattern.test(text)).map(([, step]) => step),
    ...(changesAll(UPDATED_TABLE) ? ['updates all rows, or all with a value in a column'] : []),
    ...(changesAll(EMPTIED_TABLE) ? ['removes all rows, or all with a value in a column'] : []),
    ...lockingSteps(text, created),
  ];
}

const shortened = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);

/** Returns the name of a table without its schema and without quotation marks. */
const plain = (table: string): string => table.split('.').at(-1)?.replaceAll('"', '') ?? table;

const addedColumns = (text: string): { name: string; definition: string }[] =>
  [...text.matchAll(ADDED_COLUMN)].map(([, name = '', definition = '']) => ({ name, definition }));

/** Returns the columns that a statement adds without a default, as `table.column`. */
function unsetColumns(text: string): string[] {
  const table = ALTERED_TABLE.exec(text)?.[1];
  if (table === undefined) return [];
  return addedColumns(text)
    .filter(({ definition }) => !/\b(default|generated)\b/.test(definition))
    .map(({ name }) => `${plain(table)}.${plain(name)}`);
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

function lockingSteps(text: string, created: Names): string[] {
  const required = addedColumns(text).some(
    ({ definition }) => definition.includes('not null') && !/\b(default|generated)\b/.test(definition),
  );
  const index = CREATED_INDEX.exec(text);
  return [
    ...(required ? ['adds a required column without a default'] : []),
    ...(ADDED_CONSTRAINT.test(text) && !text.includes('not valid') ? ['adds a constraint to existing rows'] : []),
    ...(index && index[1] === undefined && !created.has(index[2]) ? ['creates an index that blocks writes'] : []),
  ];
}
