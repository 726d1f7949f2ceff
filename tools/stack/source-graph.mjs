import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';

/** Stands for every name that a file exports. */
const ALL = '*';
/**
 * Files whose own imports are not followed. The topology imports the events of all apps. The events that an app publishes or handles are found
 * nevertheless, because the app imports them too.
 */
const LISTS = [path.normalize('libs/contracts/src/events/topology.ts')];
/** Matches imports and re-exports, except those of types. The groups are the keyword, the names, and the file or package that they come from. */
const STATEMENT = /^(import|export)\s+(?!type\b)(?:([^';]*?)\s+from\s+)?'([^']+)'/gm;
/** Matches imports at run time. They count as imports of all names, because the code may use any of them. The group is the file or package. */
const DYNAMIC = /\b(?:import|require)\(\s*'([^']+)'/g;
const DECLARED = /^export\s+(?:abstract\s+|async\s+)*(?:const|let|function\*?|class|enum)\s+([\w$]+)/gm;

/**
 * Returns whether a source file has code that runs: tests and declarations of types do not.
 * @param {string} name
 */
export const isSource = (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.endsWith('.d.ts');

/**
 * Finds the source files on which an app depends. Follows each imported name through index files to the file that declares it, so that an
 * app does not depend on files of a lib from which it imports nothing.
 *
 * @param {string} app
 * @param {string} [root]  the folder that contains `apps` and `libs`
 * @returns {Set<string>} paths from the root
 */
export function sourcesOf(app, root = ROOT) {
  const files = new Map();
  const used = new Set();
  const seen = new Set();
  const read = (file) => {
    if (!files.has(file)) files.set(file, parse(root, file));
    return files.get(file);
  };

  /** Adds a file whose code runs, and follows its imports. */
  const follow = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    used.add(file);
    if (LISTS.includes(file)) return;
    for (const { target, names } of read(file).imports) for (const name of names.keys()) request(target, name);
  };

  /** Follows a name that is imported from a file to the file that declares it. */
  const request = (file, name) => {
    const key = `${file} ${name}`;
    if (seen.has(key)) return;
    seen.add(key);
    used.add(file);
    const { declared, reexports } = read(file);
    const named = reexports.find(({ names }) => names.has(name));
    if (name !== ALL && named) return request(named.target, named.names.get(name));
    if (name !== ALL && declared.has(name)) return follow(file);
    const from = reexports.filter(({ names }) => names.has(ALL));
    const source = name === ALL ? undefined : from.find(({ target }) => exportsName(target, name));
    if (source) return request(source.target, name);
    // All names are imported, or the declaration of the name was not found, so everything that the file may export is followed.
    follow(file);
    for (const { target, names } of name === ALL ? reexports : from)
      for (const original of names.values()) request(target, original);
  };

  const exportsName = (file, name) => {
    const { declared, reexports } = read(file);
    return (
      declared.has(name) ||
      reexports.some(({ target, names }) => names.has(name) || (names.has(ALL) && exportsName(target, name)))
    );
  };

  const folder = path.join('apps', app, 'src');
  for (const name of fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }))
    if (isSource(name)) follow(path.join(folder, name));
  return used;
}

/**
 * Reads the imports, the re-exports and the declarations of a file. For each import and re-export, `target` is the other file, and `names` is
 * the result of `namesIn`.
 */
function parse(root, file) {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  const found = [...text.matchAll(STATEMENT)].map(([, keyword, names, from]) => ({
    keyword,
    names: namesIn(keyword, names),
    target: resolve(root, file, from),
  }));
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, from]) => ({
    keyword: 'import',
    names: new Map([[ALL, ALL]]),
    target: resolve(root, file, from),
  }));
  const inside = [...found, ...dynamic].filter(({ target }) => target !== undefined);
  return {
    imports: inside.filter(({ keyword }) => keyword === 'import'),
    reexports: inside.filter(({ keyword }) => keyword === 'export'),
    declared: new Set([...text.matchAll(DECLARED)].map(([, name]) => name)),
  };
}

/**
 * @returns {Map<string, string>} the name in the other file, by the name that it is exported as. For an import, both are the name in the other
 *   file. If all names are imported or exported, both are `ALL`
 */
function namesIn(keyword, names) {
  const listed = /^\{([^}]*)\}$/.exec(names ?? '')?.[1];
  if (listed === undefined) return new Map([[ALL, ALL]]);
  const values = listed.split(',').map((one) => one.trim().split(/\s+as\s+/));
  return new Map(
    values
      .filter(([name]) => name !== '' && !name.startsWith('type '))
      .map(([name, as = name]) => [keyword === 'import' ? name : as, name]),
  );
}

/** Returns the source file that a file imports, or undefined for a package from npm. */
function resolve(root, file, from) {
  const place = from.startsWith('.')
    ? path.join(path.dirname(file), from)
    : from.startsWith('@tandem/')
      ? path.join('libs', from.slice('@tandem/'.length), 'src')
      : undefined;
  if (place === undefined) return undefined;
  return [`${place}.ts`, path.join(place, 'index.ts')].find((name) => fs.existsSync(path.join(root, name)));
}
