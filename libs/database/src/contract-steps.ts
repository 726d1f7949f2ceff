import { affectsAllRows, NAME, partsInParentheses } from './row-condition';

/** The maximum length of a quoted statement. */
const LONGEST_QUOTE = 300;
const HAS_DEFAULT = /\b(default|generated)\b/;

const TABLE = `((?:${NAME}\\.)?${NAME})`;

/** A statement of a migration that breaks an older version of the app, or that empties, rewrites or locks a table. */
export interface ContractStep {
  /** What the statement does, such as `drops a column`. */
  readonly step: string;
  /** The statement on one line, at most 300 characters of it. */
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
  [/\bdrop\s+(schema|type|domain|sequence)\b/, 'drops a schema, type or sequence'],
  [/\bset\s+schema\b/, 'moves something to another schema'],
  [/^\s*alter\s+table\b[^;]*?\bdrop\s+(?!(constraint|default|not|expression|identity)\b)/, 'drops a column'],
  [new RegExp(`\\balter\\s+(column\\s+)?${NAME}\\s+drop\\s+default\\b`), 'drops a default'],
  [new RegExp(`\\brename\\s+(?:(?:column|constraint|value|attribute)\\s+)?(?:${NAME}\\s+)?to\\b`), 'renames something'],
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
const ADDED_CONSTRAINT = /\badd\s+(constraint|primary\s+key|unique|check|foreign\s+key|exclude)\b/;
/**
 * Matches a constraint in the definition of a column for which Postgres reads existing rows. It does not read them for `references` in a
 * column without a default.
 */
const INLINE_CONSTRAINT = /\b(unique|primary\s+key|check)\b|\bdefault\b.*\breferences\b|\breferences\b.*\bdefault\b/s;
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
  const texts = statements.flatMap((statement) => partsOf(statement).map((text) => ({ text, statement })));
  const tables = texts.flatMap(({ text }) => [...text.matchAll(CREATED_TABLE)].map(([, table = '']) => plain(table)));
  const known = { created: new Set(tables), added: texts.flatMap(({ text }) => addedTo(text)) };
  return texts
    .filter(({ text }) => !known.created.has(plain(ALTERED_TABLE.exec(text)?.[1] ?? '')))
    .flatMap(({ text, statement }) =>
      stepsOf(text, known).map((step) => ({ step, statement: shortened(statement, text) })),
    );
}

/** The tables that a migration creates, and the columns that it adds to other tables. Names have no schema and no quotation marks. */
interface Known {
  readonly created: ReadonlySet<string>;
  readonly added: readonly AddedColumn[];
}

interface AddedColumn {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Returns the things that a statement does and that are not allowed, such as `drops a column`. */
function stepsOf(text: string, known: Known): string[] {
  const parts = partsInParentheses(text);
  const changesAll = (pattern: RegExp): boolean =>
    parts.some((part) => {
      const [, table, rest = ''] = pattern.exec(part) ?? [];
      if (table === undefined || known.created.has(plain(table))) return false;
      const added = known.added.filter((one) => one.table === plain(table));
      const namesOf = (columns: readonly AddedColumn[]) => new Set(columns.map(({ name }) => name));
      return affectsAllRows(rest, parts, {
        unset: namesOf(added.filter(({ definition }) => !HAS_DEFAULT.test(definition))),
        filled: namesOf(added.filter(({ definition }) => HAS_DEFAULT.test(definition))),
      });
    });
  return [
    ...CONTRACT_STEPS.filter(([pattern]) => pattern.test(text)).map(([, step]) => step),
    ...(changesAll(UPDATED_TABLE) ? ['updates all rows, or all with a value in a column'] : []),
    ...(changesAll(EMPTIED_TABLE) ? ['removes all rows, or all with a value in a column'] : []),
    ...lockingSteps(text, known.created),
  ];
}

/** Returns the beginning of a statement on one line or, if it is a long text of several statements, of the given one of them. */
function shortened(statement: string, part: string): string {
  const whole = statement.replaceAll(/\s+/g, ' ').trim();
  return (whole.length <= LONGEST_QUOTE ? whole : part.replaceAll(/\s+/g, ' ').trim()).slice(0, LONGEST_QUOTE);
}

/** Returns the name of a table or column without its schema and without quotation marks. */
const plain = (name: string): string => (name.split('.').at(-1) ?? name).replaceAll('"', '');

function addedTo(text: string): AddedColumn[] {
  const table = plain(ALTERED_TABLE.exec(text)?.[1] ?? '');
  return [...text.matchAll(ADDED_COLUMN)].map(([, name = '', definition = '']) => ({
    table,
    name: plain(name),
    definition,
  }));
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

function lockingSteps(text: string, created: ReadonlySet<string>): string[] {
  const definitions = addedTo(text).map(({ definition }) => definition);
  const required = definitions.some((one) => one.includes('not null') && !HAS_DEFAULT.test(one));
  const constrained = definitions.some((one) => INLINE_CONSTRAINT.test(one));
  const added = ADDED_CONSTRAINT.test(text) && !text.includes('not valid');
  const index = CREATED_INDEX.exec(text);
  const blocks = index !== null && index[1] === undefined && !created.has(plain(index[2] ?? ''));
  return [
    ...(required ? ['adds a required column without a default'] : []),
    ...(added || constrained ? ['adds a constraint to existing rows'] : []),
    ...(blocks ? ['creates an index that blocks writes'] : []),
  ];
}
