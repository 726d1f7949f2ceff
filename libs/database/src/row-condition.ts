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

/**
 * Returns whether an update or a deletion affects every row, or every row with a value in a column: it has no condition, or a condition that
 * all these rows meet. A condition with functions, subqueries and the like is assumed to exclude some rows.
 *
 * @param statement a part of `parts`
 * @param parts see {@link partsInParentheses}
 * @param isUnset whether a column has no value in any row, given its name without quotation marks
 */
export function affectsAllRows(
  statement: string,
  parts: readonly string[],
  isUnset: (column: string) => boolean,
): boolean {
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
    return column !== undefined && isUnset(column);
  };
  const condition = CONDITION.exec(statement)?.[1];
  return condition === undefined || holds(condition);
}
