/** Pattern of an SQL name, quoted or not. */
export const NAME = '(?:"[^"]+"|\\w+)';

/** Matches the condition of an update or a deletion. */
const CONDITION = /\bwhere\b(.*?)(?:\breturning\b|$)/s;
/** Matches the mark that stands for a pair of parentheses: `#3#` stands for part 3. */
const MARK = /^#(\d+)#$/;
const CERTAIN = /^(?:true|not\s+false|([\w."]+)\s*(?:=|is\s+not\s+distinct\s+from)\s*\1)$/;
const HAS_VALUE = new RegExp(`^(#\\d+#|(?:${NAME}\\.)?${NAME})\\s+is\\s+not\\s+null$`);
const HAS_NO_VALUE = new RegExp(`^(#\\d+#|(?:${NAME}\\.)?${NAME})\\s+is\\s+null$`);
const COLUMN = new RegExp(`^(?:${NAME}\\.)?(${NAME})$`);

/**
 * Splits a text by its parentheses.
 *
 * @returns the text of each pair of parentheses and, as the last part, the text outside of all parentheses. In each part, the mark `#n#`
 *   stands for a pair of parentheses whose text is part n
 */
export function partsInParentheses(text: string): string[] {
  const parts: string[] = [];
  let rest = text.replaceAll('#', ' ');
  for (let before = ''; before !== rest;) {
    before = rest;
    rest = rest.replaceAll(/\(([^()]*)\)/g, (_pair, inner: string) => `#${parts.push(inner) - 1}#`);
  }
  return [...parts, rest];
}

/** Words in a condition that are not the name of a column or of a function. */
const KEYWORDS =
  /\b(?:and|or|not|is|isnull|notnull|null|true|false|distinct|from|in|like|ilike|between|coalesce|nullif|any|all)\b/g;

/**
 * Returns whether an update or a deletion may affect every row, or every row with a value in a column: it has no condition, a condition that
 * all these rows meet, or a condition on nothing but columns that have the same value in every row. Other conditions are taken to select rows.
 *
 * @param statement a part of `parts`
 * @param parts see {@link partsInParentheses}
 * @param columns the columns that the migration adds to the table, without quotation marks: those without a default (`unset`) and the others
 */
export function affectsAllRows(
  statement: string,
  parts: readonly string[],
  columns: { readonly unset: ReadonlySet<string>; readonly filled: ReadonlySet<string> },
): boolean {
  const expanded = (text: string): string =>
    text.replaceAll(/#(\d+)#/g, (_mark, index: string) => ` ( ${expanded(parts[Number(index)] ?? '')} ) `);
  const columnOf = (text: string): string | undefined => {
    const inner = parts[Number(MARK.exec(text)?.[1])] ?? text;
    return COLUMN.exec(inner.trim())?.[1]?.replaceAll('"', '');
  };
  const holds = (condition: string): boolean =>
    condition.split(/\bor\b/).some((option) => option.split(/\band\b/).every((term) => isCertain(term.trim())));
  const isCertain = (term: string): boolean => {
    const inner = parts[Number(MARK.exec(term)?.[1])];
    if (inner !== undefined) return holds(inner);
    if (CERTAIN.test(term)) return true;
    const present = HAS_VALUE.exec(term)?.[1];
    if (present !== undefined) return columnOf(present) !== undefined;
    const absent = HAS_NO_VALUE.exec(term)?.[1];
    const column = absent === undefined ? undefined : columnOf(absent);
    if (column !== undefined) return columns.unset.has(column);
    return isUniform(term);
  };
  /** Whether a term has the same value in every row. */
  const isUniform = (term: string): boolean => {
    if (/^false$/.test(term)) return false;
    const words =
      expanded(term)
        .replaceAll(KEYWORDS, ' ')
        .match(/"[^"]+"|[a-z_]\w*/g) ?? [];
    const names = words.map((word) => word.replaceAll('"', ''));
    return names.every((name) => columns.unset.has(name) || columns.filled.has(name));
  };
  const condition = CONDITION.exec(statement)?.[1];
  return condition === undefined || holds(condition);
}
