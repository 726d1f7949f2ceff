import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeClientTypes } from './client-types.mjs';
import { step } from './console.mjs';
import { runningStart } from './instance.mjs';
import { inRoot, KAFKA_CACHE, readJson, ROOT, TSC } from './paths.mjs';
import { Runner } from './runner.mjs';

/** The name of the npm command on this platform. */
export const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/**
 * Returns whether the root's node_modules has every package that package-lock.json lists for it, in the listed version. Optional packages
 * may be absent. Does not check the node_modules folders of single projects, such as tools/cli.
 */
export function isInstalled() {
  const wanted = readJson(inRoot('package-lock.json'))?.packages ?? {};
  const present = readJson(inRoot('node_modules/.package-lock.json'))?.packages;
  if (!present) return false;
  return Object.entries(wanted).every(([where, { version, link, optional }]) => {
    if (!where.startsWith('node_modules/')) return true;
    if (link) return fs.existsSync(inRoot(where));
    return present[where] ? present[where].version === version : optional === true;
  });
}

/**
 * The arguments of npm. Development packages are included even when the shell sets NODE_ENV=production: the build and the tests need
 * them.
 */
const CI = ['ci', '--no-audit', '--no-fund', '--include=dev'];

/** Installs exactly what package-lock.json lists, as a step that prints its progress. @param {Runner} runner */
export async function install(runner) {
  await step(
    'install (npm ci)',
    () => runner.task(npm, [...CI, '--no-progress'], { cwd: ROOT, inherit: true }),
    () => {
      const { present, wanted } = countPackages();
      return `${present} of ${wanted} packages`;
    },
  );
}

/** Counts the packages that every platform needs. `wanted` is their number in package-lock.json; `present` is how many of them are installed. */
export function countPackages() {
  const wanted = Object.entries(readJson(inRoot('package-lock.json'))?.packages ?? {})
    .filter(([where, { optional }]) => where.startsWith('node_modules/') && optional !== true)
    .map(([where]) => where);
  const isPresent = (where) => fs.existsSync(inRoot(where, 'package.json'));
  return { present: wanted.filter(isPresent).length, wanted: wanted.length };
}

/**
 * Installs the packages of package-lock.json unless they are installed. All output goes to stderr, because stdout belongs to the
 * command.
 *
 * @throws when the install fails, or when `npm start` is running here with outdated packages: an install would remove packages that the stack
 *   uses
 */
export function ensureInstalled() {
  if (isInstalled()) return;
  const start = runningStart();
  if (start !== undefined && fs.existsSync(inRoot('node_modules')))
    throw new Error(
      `npm start is running here (process ${start}) with outdated packages: restart it to install the current ones`,
    );
  console.error('installing what package-lock.json lists (npm ci): this can take a few minutes on a slow machine');
  const { status } = spawnSync(npm, CI, { cwd: ROOT, stdio: ['inherit', 2, 2], shell: process.platform === 'win32' });
  if (status !== 0) throw new Error('npm ci failed');
}

/**
 * Downloads Kafka into its cache and prepares it, unless the cache has it. This step is separate from the start of a broker: a start has
 * a time limit, and a download may take longer.
 *
 * @param {import('./runner.mjs').Runner} runner
 */
export async function fetchKafka(runner) {
  const file = inRoot('tools/kafka/kafka.mjs');
  await step('fetch Kafka', async () => {
    await runner.task(process.execPath, [file, '--install', '--cache', KAFKA_CACHE]);
  });
}

/**
 * Finds the TypeScript configurations of all libs, apps and tools. A lib that is also published as ES modules has two
 * configurations.
 *
 * @returns {string[]} paths from the repository's root
 */
export const compiledProjects = () =>
  ['libs', 'apps', 'tools'].flatMap((group) =>
    fs
      .readdirSync(inRoot(group))
      .flatMap((name) =>
        ['tsconfig.lib.json', 'tsconfig.esm.json', 'tsconfig.app.json'].map((file) => path.join(group, name, file)),
      )
      .filter((file) => fs.existsSync(inRoot(file))),
  );

/**
 * Finds the projects to compile before a built file can run. For a file of a lib, this is only the lib (tsc adds its references), so that a command
 * of a lib runs even while apps that use the lib do not compile. Any other file may start apps, and needs all projects.
 *
 * @param {string} file  for example `libs/contracts/dist/main.js`
 */
export const projectsFor = (file) => {
  const [group, name] = file.split('/');
  return group === 'libs' ? [path.join(group, name, 'tsconfig.lib.json')] : compiledProjects();
};

/** @throws when npm installed no compiler for this platform, because optional packages were left out, or none of the optional packages is
 *   for this platform */
export function requireCompiler() {
  if (!fs.existsSync(TSC))
    throw new Error(
      `TypeScript 7 is not installed for ${process.platform} ${process.arch}: run npm ci without --omit=optional`,
    );
}

/**
 * Compiles the changed projects.
 *
 * @param {import('./runner.mjs').Runner} runner
 * @param {string[]} projects  paths of their TypeScript configurations. Default: all projects, and the sites
 * @param {{ checked?: boolean }} [options]  whether types are checked too, which takes longer. `npm run build` and
 *   `npm run typecheck` always check them
 * @throws with the messages of the compiler or of the program that bundles a site
 */
export async function build(runner, projects = compiledProjects(), { checked = false } = {}) {
  requireCompiler();
  writeClientTypes();
  try {
    await Promise.all([
      runner.task(TSC, ['-b', ...(checked ? [] : ['--noCheck']), ...projects], { cwd: ROOT, endSignal: 'SIGKILL' }),
      projects.length === compiledProjects().length ? buildSites(runner) : undefined,
    ]);
  } catch (error) {
    if (runner.stopping) throw error;
    throw new Error(`the build failed:\n${error.message.split('\n').slice(1).join('\n')}`);
  }
}

/** For each site, the command that bundles the site, and the sources of the bundle. A folder stands for all files in the folder. */
const SITES = [
  {
    folder: 'apps/console',
    command: ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
    sources: ['src', 'public', 'index.html', 'vite.config.ts', 'package.json'].map((name) => `apps/console/${name}`),
  },
  {
    folder: 'apps/docs',
    command: ['node_modules/vitepress/bin/vitepress.js', 'build'],
    sources: [
      ...['src', 'samples', 'public', 'home.md', 'package.json', '.vitepress/config.ts', '.vitepress/theme'].map(
        (name) => `apps/docs/${name}`,
      ),
      ...['docs', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'k8s/README.md'],
      ...['apps', 'libs', 'sdks', 'examples'].flatMap(readmesIn),
      ...['examples/verify-postback', 'examples/shop-typescript/src', 'examples/shop-python'],
    ],
  },
];

/**
 * Bundles each site that is not built, or whose files are older than its sources.
 *
 * @param {import('./runner.mjs').Runner} runner
 */
export async function buildSites(runner) {
  for (const { folder, command, sources } of SITES) {
    const built = modifiedAt(inRoot(folder, 'dist/index.html'));
    if (built > 0 && sources.every((source) => newestIn(inRoot(source)) <= built)) continue;
    const [program, ...args] = command;
    await replaceFolder(inRoot(folder, 'dist'), async (made) => {
      await runner.task(process.execPath, [inRoot(program), ...args, '--outDir', made], {
        cwd: inRoot(folder),
        // Jest sets NODE_ENV to `test`, and a site that is built in that mode is larger and slower.
        env: { NODE_ENV: 'production' },
      });
      compressFiles(made);
    });
  }
}

/**
 * Writes the new files of a folder elsewhere, and then replaces the folder by two renames. So an edge that starts while another command builds the
 * site never finds only a part of the files: it finds all old files, all new files or, between the two renames, none.
 *
 * @param {string} folder  an absolute path inside this checkout
 * @param {(made: string) => Promise<void>} make  writes the files into the given folder, which does not exist yet
 */
export async function replaceFolder(folder, make) {
  fs.mkdirSync(inRoot('.tandem'), { recursive: true });
  // The folder is inside the checkout, because a rename works only within one file system.
  const scratch = fs.mkdtempSync(inRoot('.tandem/site-'));
  const [made, old] = [path.join(scratch, 'new'), path.join(scratch, 'old')];
  try {
    await make(made);
    if (fs.existsSync(folder)) fs.renameSync(folder, old);
    fs.renameSync(made, folder);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

/** Writes a compressed copy next to each text file of a site. The edge sends the copy to browsers that accept gzip. */
function compressFiles(folder) {
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(folder, name);
    if (/\.(css|html|js|json|svg|txt)$/.test(name))
      fs.writeFileSync(`${file}.gz`, gzipSync(fs.readFileSync(file), { level: 9 }));
  }
}

/** Returns the READMEs of the packages in a folder. */
function readmesIn(group) {
  return fs
    .readdirSync(inRoot(group))
    .map((name) => `${group}/${name}/README.md`)
    .filter((file) => fs.existsSync(inRoot(file)));
}

const modifiedAt = (file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Returns the time of the last change of a file, or of any file in a folder. */
const newestIn = (place) =>
  fs.statSync(place).isDirectory()
    ? Math.max(...fs.readdirSync(place, { recursive: true }).map((name) => modifiedAt(path.join(place, String(name)))))
    : modifiedAt(place);

/** Installs only when node_modules is missing, for commands that also work with outdated packages. */
export function installOnce() {
  if (!fs.existsSync(inRoot('node_modules'))) ensureInstalled();
}

/**
 * Installs what is missing, then compiles what changed, for commands that run compiled code. Passes `runner` and `projects` to `build`.
 */
export async function prepare(runner, projects = compiledProjects()) {
  ensureInstalled();
  if (!isBuilt(projects)) console.error('building: up to a minute');
  await build(runner, projects);
}

const isBuilt = (projects) => projects.every((file) => fs.existsSync(inRoot(path.dirname(file), 'dist')));

/**
 * Installs and builds only when node_modules or the output of a project is missing. Used by the commands of a person on call, who should
 * not wait for a compiler.
 */
export async function prepareOnce() {
  if (fs.existsSync(inRoot('node_modules')) && isBuilt(compiledProjects())) return;
  await prepare(new Runner());
}

export const built = (...parts) => {
  const file = path.join(ROOT, ...parts);
  if (!fs.existsSync(file)) throw new Error(`${path.relative(ROOT, file)} is missing: run npm run build`);
  return file;
};
