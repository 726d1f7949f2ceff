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
  forgetBuild(folder);
  fs.writeFileSync(`${target}.map`, map);
  fs.writeFileSync(target, `${code}\n//# sourceMappingURL=${path.basename(target)}.map\n`);
}

/** Returns the names of the source files in a folder. @throws when the folder is absent */
const filesIn = (folder) =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isSource(entry.name))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));

/** Removes what was compiled from a source file, so that no app uses it any more. */
function removeOutput(folder, name) {
  const target = path.join(folder, 'dist', name.replace(/\.ts$/, ''));
  for (const end of ['.js', '.js.map', '.d.ts', '.d.ts.map']) fs.rmSync(`${target}${end}`, { force: true });
  forgetBuild(folder);
}

/** Removes the record by which tsc decides what to compile. Otherwise tsc would keep the output even when the edit is undone. */
function forgetBuild(folder) {
  for (const kind of ['app', 'lib'])
    fs.rmSync(path.join(folder, 'dist', `tsconfig.${kind}.tsbuildinfo`), { force: true });
}

/**
 * Restarts an app after an edit of a source file on which the app depends at run time: one of its own files or a file of a lib. Then checks the
 * types of every app that uses the lib.
 */
export class Watch {
  #times = new Map();
  /** The source files that the last poll found. `file` is a path from the root. @type {{ folder: string, name: string, file: string }[]} */
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
    await this.graph.read(this.#present.map(({ file }) => file));
    while (!this.runner.stopping) {
      await delay(POLL_MS);
      const edited = this.#areFoldersPresent() ? this.#edited() : [];
      if (edited.length > 0 && !this.runner.stopping) await this.#apply(edited);
    }
  }

  /** Returns the folders of the watched apps and of the libs that they use, each once. */
  #watchedFolders() {
    return [...new Set([...this.folders.values()].flat())];
  }

  /** Whether all watched folders exist. One of them may be absent for a moment while it is moved or checked out. */
  #areFoldersPresent() {
    return this.#watchedFolders().every((folder) => fs.existsSync(path.join(this.root, folder, 'src')));
  }

  /** Returns the source files, except tests, that were added, changed or removed since the last call. */
  #edited() {
    const found = this.#watchedFolders().flatMap((folder) =>
      filesIn(path.join(this.root, folder, 'src')).map((name) => ({
        folder,
        name,
        file: path.join(folder, 'src', name),
      })),
    );
    const removed = new Map(this.#present.map((one) => [one.file, { ...one, isRemoved: true }]));
    for (const { file } of found) removed.delete(file);
    for (const file of removed.keys()) this.#times.delete(file);
    this.#present = found;
    const changed = found.filter(({ file }) => {
      const time = fs.statSync(path.join(this.root, file), { throwIfNoEntry: false })?.mtimeMs;
      const before = this.#times.get(file);
      this.#times.set(file, time);
      return time !== undefined && time !== before;
    });
    return [...removed.values(), ...changed];
  }

  async #apply(edited) {
    await this.#stopCheck();
    await this.#outdate(edited);
    const alreadyBroken = [...this.#broken];
    for (const one of edited) {
      if (path.dirname(one.name).split(path.sep).includes('migrations')) this.#migrationPending = true;
      await this.#compile(one);
    }
    if (this.#broken.size > 0) {
      const waiting = alreadyBroken.filter((file) => this.#broken.has(file));
      if (waiting.length > 0) this.report(`no app is restarted until this file compiles: ${waiting.join(', ')}`);
      return;
    }
    if (this.#migrationPending && !(await this.#migrate())) return;
    const apps = [...this.#outdated];
    this.#outdated.clear();
    await Promise.all(apps.map((app) => this.#replace(app)));
    this.#checkTypes();
  }

  /** Compiles an edited file, or removes the output of a removed one. Reports an error. */
  async #compile({ folder, name, file, isRemoved }) {
    try {
      if (isRemoved) removeOutput(path.join(this.root, folder), name);
      else await compile(path.join(this.root, folder), name);
      this.#broken.delete(file);
    } catch (error) {
      this.#broken.add(file);
      const reason = String(error.message || error)
        .split('\n\nCaused by')[0]
        .trim();
      this.report(`${file} does not compile; the previous version keeps running\n${reason}`);
    }
  }

  /** Marks the apps that run the edited files for a restart, and the apps that use the libs of these files for a check of their types. */
  async #outdate(edited) {
    // A removed file is known only to the graph before the edit, and a new one only to the graph after it.
    const before = new Map([...this.folders.keys()].map((app) => [app, this.graph.sourcesOf(app)]));
    await this.graph.read(this.#present.map(({ file }) => file));
    const apps = [...this.folders].map(([app, folders]) => ({
      app,
      folders,
      sources: new Set([...(before.get(app) ?? []), ...this.graph.sourcesOf(app)]),
    }));
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
