import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { inRoot } from './paths.mjs';

const require = createRequire(import.meta.url);
/** Stands for every name that a file exports. */
const ALL = '*';
/**
 * Files whose own imports are not followed. The topology imports the events of all apps. The events that an app publishes or handles are
 * found nevertheless, because the app imports them too.
 */
const LISTS = [path.normalize('libs/contracts/src/events/topology.ts')];
const NOTHING = { imports: [], reexports: [], declared: new Set() };

/** Returns whether a file has source code of an app or lib: tests and declarations of types do not. @param {string} name */
export const isSource = (name) => /\.tsx?$/.test(name) && !/\.(spec|d)\.tsx?$/.test(name);

/**
 * The imports of the source files of apps and libs. Each imported name is followed through index files to the file that declares the name, so
 * an app does not depend on files of a lib from which it imports nothing. Imports of types do not count, because nothing of them runs.
 */
export class SourceGraph {
  /** By file: when the file was modified, and what it imports, re-exports and declares. */
  #files = new Map();

  /** @param {string} root  the folder that contains `apps` and `libs` */
  constructor(root) {
    this.root = root;
  }

  /**
   * Reads the files that were added or changed since the last call. A file that does not compile keeps its previous imports.
   * @param {Iterable<string>} files  paths from the root
   */
  async read(files) {
    const present = new Set(files);
    for (const file of this.#files.keys()) if (!present.has(file)) this.#files.delete(file);
    await Promise.all([...present].map((file) => this.#readFile(file)));
  }

  async #readFile(file) {
    const place = path.join(this.root, file);
    const modified = fs.statSync(place, { throwIfNoEntry: false })?.mtimeMs;
    const known = this.#files.get(file);
    if (known?.modified === modified) return;
    const parsed = await parse(place).catch(() => undefined);
    this.#files.set(file, { ...(parsed ?? known ?? NOTHING), modified });
  }

  /**
   * Finds the files on which an app depends at run time.
   * @param {string} app
   * @returns {Set<string>} paths from the root
   */
  sourcesOf(app) {
    const search = new Search(
      (file) => this.#files.get(file) ?? NOTHING,
      (file, from) => this.#resolve(file, from),
    );
    const own = path.join('apps', app, 'src') + path.sep;
    for (const file of this.#files.keys()) if (file.startsWith(own)) search.use(file);
    return search.used;
  }

  /** Returns the source file that a file imports, or undefined for a package from npm. */
  #resolve(file, from) {
    const place = from.startsWith('.')
      ? path.join(path.dirname(file), from.replace(/\.js$/, ''))
      : from.startsWith('@tandem/')
        ? path.join('libs', from.slice('@tandem/'.length), 'src')
        : undefined;
    if (place === undefined) return undefined;
    return ['.ts', '.tsx', '/index.ts', '/index.tsx']
      .map((end) => path.normalize(`${place}${end}`))
      .find((name) => this.#files.has(name));
  }
}

/** Collects the files that run when some files run. */
class Search {
  used = new Set();
  #seen = new Set();

  constructor(read, resolve) {
    this.read = read;
    this.resolve = resolve;
  }

  /** Adds a file whose code runs, and follows the imports of the file. */
  use(file) {
    if (this.used.has(file)) return;
    this.used.add(file);
    if (LISTS.includes(file)) return;
    for (const { from, names } of this.read(file).imports) {
      const target = this.resolve(file, from);
      if (target === undefined) continue;
      this.use(target);
      for (const name of names.values()) this.#request(target, name);
    }
  }

  /** Follows a name that is imported from a file to the file that declares the name. */
  #request(file, name) {
    const key = `${file} ${name}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.use(file);
    for (const { target, original } of this.#sourcesOf(file, name)) this.#request(target, original);
  }

  /** Returns the files from which a file re-exports a name, and the name in these files. */
  #sourcesOf(file, name) {
    const { reexports, declared } = this.read(file);
    const found = reexports.flatMap(({ from, names }) => {
      const target = this.resolve(file, from);
      return target === undefined ? [] : [...names].map(([exported, original]) => ({ target, exported, original }));
    });
    if (name === ALL) return found;
    const named = found.filter(({ exported }) => exported === name);
    if (named.length > 0 || declared.has(name)) return named;
    const stars = found.filter(({ exported }) => exported === ALL);
    const declaring = stars.filter(({ target }) => this.#exports(target, name, new Set()));
    // If none of the files behind `export *` is known to export the name, any of them may.
    return declaring.length > 0 ? declaring.map(({ target }) => ({ target, original: name })) : stars;
  }

  #exports(file, name, visited) {
    if (visited.has(file)) return false;
    visited.add(file);
    const { reexports, declared } = this.read(file);
    if (declared.has(name)) return true;
    return reexports.some(({ from, names }) => {
      if (names.has(name)) return true;
      const target = names.has(ALL) ? this.resolve(file, from) : undefined;
      return target !== undefined && this.#exports(target, name, visited);
    });
  }
}

/**
 * Reads what a file imports, re-exports and declares. `names` maps each re-exported name to the name in the file that it comes from, and each
 * imported name to itself.
 */
async function parse(place) {
  const { transform } = require('@swc/core');
  const { SWC } = require(inRoot('jest.project.js'));
  const lexer = await import('es-module-lexer');
  await lexer.init;
  // The compiler removes the imports of types.
  const { code } = await transform(fs.readFileSync(place, 'utf8'), {
    ...SWC,
    filename: place,
    module: { type: 'es6' },
  });
  const [found, exported] = lexer.parse(code);
  const statements = found.flatMap(({ n: from, d: dynamic, ss, se }) => {
    if (from === undefined) return [];
    return [
      { from, ...(dynamic === -1 ? namesIn(code.slice(ss, se)) : { isExport: false, names: new Map([[ALL, ALL]]) }) },
    ];
  });
  const again = statements.filter(({ isExport }) => isExport);
  const named = new Set(again.flatMap(({ names }) => [...names.keys()]));
  return {
    imports: statements.filter(({ isExport }) => !isExport),
    reexports: again,
    declared: new Set(exported.map(({ n }) => n).filter((name) => !named.has(name))),
  };
}

/** Reads the names of an import or of a re-export. */
function namesIn(text) {
  const statement = text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
  const isExport = statement.startsWith('export');
  const names = new Map();
  const [, before = '', listed = ''] = /^(?:import|export)\s*([^{"']*)(?:\{([^}]*)\})?/.exec(statement) ?? [];
  const namespace = /\*(?:\s*as\s+([\w$]+))?/.exec(before);
  if (namespace) names.set(isExport ? (namespace[1] ?? ALL) : ALL, ALL);
  else if (/^[\w$]/.test(before) && !before.startsWith('from')) names.set('default', 'default');
  for (const one of listed.split(',')) {
    const [name, as = name] = one.trim().split(/\s+as\s+/);
    if (name) names.set(isExport ? as : name, name);
  }
  return { isExport, names };
}
