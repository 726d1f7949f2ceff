import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inRoot, readJson, ROOT, TSC } from './paths.mjs';
import { isSource, sourcesOf } from './source-graph.mjs';

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

/** Restarts an app after an edit of a source file on which the app depends: one of its own files or a file of a lib. */
export class Watch {
  #times = new Map();
  /** Migrates the schemas after an edit of a migration. The caller sets this function when the database runs. @type {() => Promise<unknown>} */
  migrate = async () => undefined;
  /** The edited files that do not compile. While there is such a file, no app is restarted. */
  #broken = new Set();
  /** The apps that must be restarted. */
  #outdated = new Set();
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
    this.#edited();
  }

  /** Polls for edits until the runner stops. Polling works on every file system and with every editor. */
  async run() {
    while (!this.runner.stopping) {
      await delay(POLL_MS);
      const edited = this.#edited();
      if (edited.length > 0 && !this.runner.stopping) await this.#apply(edited);
    }
  }

  /** Returns the source files, except tests, that were added or changed since the last call. */
  #edited() {
    return [...new Set([...this.folders.values()].flat())].flatMap((folder) =>
      fs
        .readdirSync(path.join(this.root, folder, 'src'), { recursive: true, encoding: 'utf8' })
        .filter(isSource)
        .filter((name) => {
          const file = path.join(folder, 'src', name);
          const time = fs.statSync(path.join(this.root, file), { throwIfNoEntry: false })?.mtimeMs;
          const before = this.#times.get(file);
          this.#times.set(file, time);
          return time !== undefined && time !== before;
        })
        .map((name) => ({ folder, name })),
    );
  }

  async #apply(edited) {
    await this.#stopCheck();
    this.#outdate(edited.map(({ folder, name }) => path.join(folder, 'src', name)));
    for (const { folder, name } of edited) {
      if (path.dirname(name).split(path.sep).includes('migrations')) this.#migrationPending = true;
      const file = path.join(folder, 'src', name);
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
    this.#checkTypes(apps);
  }

  /** Marks the apps that depend on edited source files for a restart. */
  #outdate(files) {
    const sources = [...this.folders.keys()].map((app) => ({ app, files: sourcesOf(app, this.root) }));
    for (const file of files) {
      const dependent = sources.filter((one) => one.files.has(file));
      for (const { app } of dependent) this.#outdated.add(app);
      if (dependent.length === 0) this.report(`${file}: no watched app imports this file`);
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

  /** Checks the types of restarted apps in the background, because this takes longer than a restart, and reports the result. */
  #checkTypes(apps) {
    const stop = new AbortController();
    const files = apps.map((app) => path.join(this.root, 'apps', app, 'tsconfig.app.json'));
    const ended = this.runner
      .task(TSC, ['-b', '--pretty', 'false', ...files], { cwd: this.root, signal: stop.signal, endSignal: 'SIGKILL' })
      .then(() => this.report('types: no errors'))
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
