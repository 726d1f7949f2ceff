import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inRoot, readJson, ROOT, TSC } from './paths.mjs';
import { isSource, SourceGraph } from './source-graph.mjs';

const POLL_MS = 200;
const require = createRequire(import.meta.url);

/** Returns the folder of an app and those of all libs that it uses, according to the package.json files. */
function foldersOf(root, app) {
  const found = new Set();
  const add = (folder) => {
    if (found.has(folder)) return;
    found.add(folder);
    for (const name of Object.keys(readJson(path.join(root, folder, 'package.json'))?.dependencies ?? {})) {
      if (name.startsWith('@tandem/')) add(name.replace('@tandem/', 'libs/'));
    }
  };
  add(`apps/${app}`);
  return [...found];
}

/** Compiles a single source file to `dist` without type checks, as the tests do. @throws for a syntax error */
async function compile(folder, name) {
  const { transformFile } = require('@swc/core');
  const { SWC } = require(inRoot('jest.project.js'));
  const target = path.join(folder, 'dist', name.replace(/\.ts$/, '.js'));
  const { code, map } = await transformFile(path.join(folder, 'src', name), { ...SWC, sourceMaps: true });
  fs.mkdirSync(path.dirname(target), { recursive: true });
  // Removes the record by which tsc decides what to compile. Otherwise tsc would keep this output even when the edit is undone.
  for (const kind of ['app', 'lib'])
    fs.rmSync(path.join(folder, 'dist', `tsconfig.${kind}.tsbuildinfo`), { force: true });
  fs.writeFileSync(`${target}.map`, map);
  fs.writeFileSync(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map\n`);
}

/**
 * Restarts an app after an edit of a source file on which the app depends at run time: one of its own files or a file of a lib. Then checks the
 * types of every app that uses the lib.
 */
export class Watch {
  #times = new Map();
  /** The source files that the last poll found, as paths from the root. @type {string[]} */
  #present = [];
  /** Migrates the schemas after an edit of a migration. The caller sets this function when the database runs. @type {() => Promise<unknown>} */
  migrate = async () => undefined;
  /** The edited files that do not compile. While there is such a file, no app is restarted. */
  #broken = new Set();
  /** The apps that must be restarted. */
  #outdated = new Set();
  /** The apps whose types have not been checked since an edit. */
  #unchecked = new Set();
  /** Whether an edited migration has not run yet. Until the migration has run, no app is restarted. */
  #migrationPending = false;
  #check;

  /**
   * @param {import('./runner.mjs').Runner} runner
   * @param {string[]} apps  the apps to restart
   * @param {(text: string) => void} report  receives errors and reports
   * @param {string} [root]  the folder that contains `apps` and `libs`
   */
  constructor(runner, apps, report, root = ROOT) {
    this.runner = runner;
    this.report = report;
    this.root = root;
    this.folders = new Map(apps.map((app) => [app, foldersOf(root, app)]));
    this.graph = new SourceGraph(root);
    this.#edited();
  }

  /** Polls for edits until the runner stops. Polling works on every file system and with every editor. */
  async run() {
    // Reading all files takes a second or two, so this is done before the first edit.
    await this.graph.read(this.#present);
    while (!this.runner.stopping) {
      await delay(POLL_MS);
      const edited = this.#edited();
      if (edited.length > 0 && !this.runner.stopping) await this.#apply(edited);
    }
  }

  /** Returns the source files, except tests, that were added or changed since the last call. */
  #edited() {
    const found = [...new Set([...this.folders.values()].flat())].flatMap((folder) =>
      fs
        .readdirSync(path.join(this.root, folder, 'src'), { recursive: true, encoding: 'utf8' })
        .filter(isSource)
        .map((name) => ({ folder, name, file: path.join(folder, 'src', name) })),
    );
    this.#present = found.map(({ file }) => file);
    return found.filter(({ file }) => {
      const time = fs.statSync(path.join(this.root, file), { throwIfNoEntry: false })?.mtimeMs;
      const before = this.#times.get(file);
      this.#times.set(file, time);
      return time !== undefined && time !== before;
    });
  }

  async #apply(edited) {
    await this.#stopCheck();
    await this.#outdate(edited);
    for (const { folder, name, file } of edited) {
      if (path.dirname(name).split(path.sep).includes('migrations')) this.#migrationPending = true;
      try {
        await compile(path.join(this.root, folder), name);
        this.#broken.delete(file);
      } catch (error) {
        this.#broken.add(file);
        this.report(
          `${file} does not compile; the previous version keeps running\n${error.message.split('\n\nCaused by')[0].trim()}`,
        );
      }
    }
    if (this.#broken.size > 0) return;
    if (this.#migrationPending && !(await this.#migrate())) return;
    const apps = [...this.#outdated];
    this.#outdated.clear();
    await Promise.all(apps.map((app) => this.#replace(app)));
    this.#checkTypes();
  }

  /** Marks the apps that run the edited files for a restart, and the apps that use the libs of these files for a check of their types. */
  async #outdate(edited) {
    await this.graph.read(this.#present);
    const apps = [...this.folders].map(([app, folders]) => ({ app, folders, sources: this.graph.sourcesOf(app) }));
    for (const { folder, file } of edited) {
      for (const { app, folders } of apps) if (folders.includes(folder)) this.#unchecked.add(app);
      const running = apps.filter(({ sources }) => sources.has(file));
      for (const { app } of running) this.#outdated.add(app);
      if (running.length === 0) this.report(`${file}: no watched app uses this file at run time, so none is restarted`);
    }
  }

  /** Runs the migrations that have not run yet. @returns whether they succeeded */
  async #migrate() {
    try {
      this.report(`migrations: ${String(await this.migrate()).trim()}`);
      this.#migrationPending = false;
      return true;
    } catch (error) {
      if (!this.runner.stopping)
        this.report(`the migration failed; the previous version keeps running\n${error.message}`);
      return false;
    }
  }

  async #replace(app) {
    const began = Date.now();
    try {
      await this.runner.replace(app);
      this.report(`${app} runs the edit after ${((Date.now() - began) / 1000).toFixed(1)} s`);
    } catch (error) {
      if (!this.runner.stopping) this.report(`${error.message}: waiting for the next edit`);
    }
  }

  /** Checks types in the background, because this takes longer than a restart, and reports the result. */
  #checkTypes() {
    if (this.#unchecked.size === 0) return;
    const stop = new AbortController();
    const files = [...this.#unchecked].map((app) => path.join(this.root, 'apps', app, 'tsconfig.app.json'));
    const ended = this.runner
      .task(TSC, ['-b', '--pretty', 'false', ...files], { cwd: this.root, signal: stop.signal, endSignal: 'SIGKILL' })
      .then(() => {
        this.#unchecked.clear();
        this.report('types: no errors');
      })
      .catch((error) => {
        if (stop.signal.aborted || this.runner.stopping) return;
        this.report(`types:\n${error.message.split('\n').slice(1).join('\n')}`);
      });
    this.#check = { stop, ended };
  }

  async #stopCheck() {
    this.#check?.stop.abort();
    await this.#check?.ended;
    this.#check = undefined;
  }
}
