import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** A test as it stands in the source: a parametrised one keeps its placeholders (`takes %p`). */
export interface TestTitle {
  /** From the repository's root, with `/`. */
  readonly file: string;
  /** The titles of the describes around it, then its own, joined by ` › `. */
  readonly title: string;
  /** Not run: it proves nothing. */
  readonly skipped: boolean;
}

export const SEPARATOR = ' › ';

const GROUPS = ['apps', 'libs', 'tools', 'examples'];
const NO_SOURCES = new Set(['node_modules', 'dist', 'out-tsc', '.tandem']);
const SPEC = /\.(?:spec\.ts|test\.mjs)$/;
const SUITES = new Set(['describe', 'describeKafka']);
const TESTS = new Set(['it', 'test']);

/** Every test of the repository at `root`, in the order of the files' names, without running one. */
export function findTestTitles(root: string): TestTitle[] {
  return GROUPS.filter((group) => existsSync(path.join(root, group)))
    .flatMap((group) => specFiles(root, group))
    .flatMap((file) => testTitlesOf(file, readFileSync(path.join(root, file), 'utf8')));
}

function specFiles(root: string, folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return NO_SOURCES.has(entry.name) ? [] : specFiles(root, name);
      return SPEC.test(entry.name) ? [name] : [];
    });
}

/** The tests of one file, also those inside loops and functions: where they stand is what counts. */
export function testTitlesOf(file: string, source: string): TestTitle[] {
  const found: TestTitle[] = [];
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false);
  const visit = (node: ts.Node, around: readonly string[], skipped: boolean): void => {
    const call = ts.isCallExpression(node) ? callOf(node, tree) : null;
    if (call === null) return ts.forEachChild(node, (child) => visit(child, around, skipped));
    const titles = [...around, call.title];
    const off = skipped || call.skipped;
    if (call.isTest) found.push({ file, title: titles.join(SEPARATOR), skipped: off });
    else (node as ts.CallExpression).arguments.slice(1).forEach((argument) => visit(argument, titles, off));
  };
  visit(tree, [], false);
  return found;
}

/** Whether a call makes a suite or a test: `it('…', …)`, `it.each(…)('…', …)`, `describe.skip('…', …)`. */
function callOf(
  node: ts.CallExpression,
  tree: ts.SourceFile,
): { isTest: boolean; skipped: boolean; title: string } | null {
  const [title] = node.arguments;
  const names = title === undefined ? [] : namesOf(node.expression);
  const [name = ''] = names;
  if (!title || (!SUITES.has(name) && !TESTS.has(name)) || names.at(-1) === 'each') return null;
  const skipped = names.some((modifier) => modifier === 'skip' || modifier === 'todo');
  return { isTest: TESTS.has(name), skipped, title: textOf(title, tree) };
}

/** `it.each(table)` gives `it`, `each`, `()`: the callee's names, and a mark for a table that was given. */
function namesOf(callee: ts.Expression): string[] {
  if (ts.isIdentifier(callee)) return [callee.text];
  if (ts.isPropertyAccessExpression(callee)) return [...namesOf(callee.expression), callee.name.text];
  if (ts.isCallExpression(callee)) return [...namesOf(callee.expression), '()'];
  if (ts.isTaggedTemplateExpression(callee)) return [...namesOf(callee.tag), '()'];
  return [];
}

/** A literal's text; of a template, and of anything else, what the source says. */
function textOf(title: ts.Expression, tree: ts.SourceFile): string {
  if (ts.isStringLiteralLike(title)) return title.text;
  const source = title.getText(tree);
  return ts.isTemplateExpression(title) ? source.slice(1, -1) : source;
}
