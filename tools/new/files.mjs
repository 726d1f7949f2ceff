import fs from 'node:fs';
import path from 'node:path';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { inRoot } from '../stack/paths.mjs';

const SUFFIX = '.template';

/** Writes and edits files, and lists them as paths from the repository's root. */
export class Changes {
  created = [];
  edited = [];
  /** Existing files in which a change only repeats the content of other files, such as a README. */
  derived = [];
  /** The commands that the developer must run next. @type {string[]} */
  next = [];

  /**
   * Writes a new file. @param {string} file @param {string} content
   * @throws when the file exists
   */
  async create(file, content) {
    if (fs.existsSync(inRoot(file))) throw new Error(`${file} already exists`);
    fs.mkdirSync(path.dirname(inRoot(file)), { recursive: true });
    fs.writeFileSync(inRoot(file), await formatted(file, content));
    this.created.push(file);
  }

  /** Changes a file. @param {string} file @param {(text: string) => string} change */
  async edit(file, change) {
    await rewrite(file, change);
    if (!this.created.includes(file) && !this.edited.includes(file)) this.edited.push(file);
  }

  /** Makes a change that only repeats the content of other files. @param {string} file @param {(text: string) => string} change */
  async derive(file, change) {
    await rewrite(file, change);
    this.derived.push(file);
  }

  /**
   * Copies the files of a template. Replaces each `__name__` in texts and file names with its value in `names`.
   * @param {string} template a folder of tools/new/templates
   * @param {string} folder the target folder
   * @param {Record<string, string | number>} names
   * @param {string[]} variants such as `events` and `public`: a line that begins with a mark such as `[public]` is kept, without the mark,
   *   only if the mark is one of these
   */
  async copy(template, folder, names, ...variants) {
    const source = inRoot('tools/new/templates', template);
    const files = fs.readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(SUFFIX));
    for (const name of files.sort()) {
      const target = path.posix.join(folder, filled(name, names).split(path.sep).join('/').slice(0, -SUFFIX.length));
      const text = ofVariants(fs.readFileSync(path.join(source, name), 'utf8'), variants);
      await this.create(target, filled(text, names));
    }
  }

  /** Returns the text of a template file. @param {string} file @param {Record<string, string | number>} names */
  text(file, names) {
    return filled(fs.readFileSync(inRoot('tools/new/templates', `${file}${SUFFIX}`), 'utf8'), names);
  }
}

/** Matches the last line of an import statement. */
export const IMPORT = /^(import .*|\}) from '.*';$/;

/** Inserts a line after the last line that matches. @throws when no line matches */
export function insertAfterLast(text, pattern, line) {
  const lines = text.split('\n');
  const index = lines.findLastIndex((one) => pattern.test(one));
  if (index < 0) throw new Error(`no line matches ${pattern}`);
  return lines.toSpliced(index + 1, 0, line).join('\n');
}

/** Adds an item to the end of the list that follows `opening`, such as `entities: [`. @throws when there is no such list */
export function appendToList(text, opening, item) {
  const start = text.indexOf(opening);
  const end = start < 0 ? -1 : closingOf(text, start + opening.length);
  if (end < 0) throw new Error(`there is no list "${opening}": add ${item} by hand`);
  const before = text.slice(0, end).trimEnd();
  const separator = before.endsWith('[') || before.endsWith(',') ? '' : ',';
  return `${before}${separator}\n${item},\n${text.slice(end)}`;
}

/** Returns the index of the bracket that closes a list whose content begins at `from`; -1 when there is none. */
function closingOf(text, from) {
  let depth = 1;
  for (let index = from; index < text.length; index++) {
    if (text[index] === '[') depth++;
    if (text[index] === ']' && --depth === 0) return index;
  }
  return -1;
}

/** Matches a line with the mark of a variant. Other text in brackets is no mark, because a line of Markdown may begin with a link. */
const MARKED = /^\[(events|no events|public|internal)\] ?(.*)$/;

const ofVariants = (text, variants) =>
  text
    .split('\n')
    .filter((line) => !MARKED.test(line) || variants.includes(MARKED.exec(line)[1]))
    .map((line) => MARKED.exec(line)?.[2] ?? line)
    .join('\n');

function filled(text, names) {
  return text.replace(/__([A-Za-z]+)__/g, (whole, name) => {
    if (!(name in names)) throw new Error(`the template has ${whole}, which has no value`);
    return String(names[name]);
  });
}

async function rewrite(file, change) {
  const text = fs.readFileSync(inRoot(file), 'utf8');
  fs.writeFileSync(inRoot(file), await formatted(file, change(text)));
}

async function formatted(file, content) {
  // npm formats package-lock.json in its own way, so Prettier must not.
  if (path.basename(file) === 'package-lock.json') return `${content}\n`;
  const { ignored, inferredParser } = await getFileInfo(inRoot(file), { ignorePath: inRoot('.prettierignore') });
  if (ignored || inferredParser === null) return content;
  const options = await resolveConfig(inRoot(file));
  return format(content, { ...options, filepath: inRoot(file) });
}
