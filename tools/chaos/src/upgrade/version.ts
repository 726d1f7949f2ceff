import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { inRepository } from '@tandem/stack-client';
import type { AppRow } from '../../../../apps/apps';

/** A version of the platform that is built. */
export interface Version {
  readonly folder: string;
  /** The names of the version's apps. */
  readonly apps: readonly string[];
}

/** How many prepared versions are kept on disk, including the one that is prepared now. */
const KEPT = 3;
const RELEASED = 'docs/openapi/released';
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const execute = promisify(execFile);

/**
 * Finds an earlier version. A revision of Git is prepared once: its sources, packages and built apps are kept in
 * `.tandem/versions`, until three other versions have been used.
 *
 * @param from a revision of Git, or the folder of a checkout that is built; null: the last release
 * @param report receives lines about the progress
 * @param root the checkout that has the history
 * @throws Error with a message for people when the version cannot be found, installed or built
 */
export async function versionOf(
  from: string | null,
  report: (line: string) => void,
  root = inRepository(),
): Promise<Version> {
  if (from !== null && fs.existsSync(path.join(from, 'apps/apps.js'))) return builtIn(path.resolve(from));
  const commit = await commitOf(root, from);
  const versions = path.join(root, '.tandem/versions');
  const folder = path.join(versions, commit);
  if (!fs.existsSync(folder)) {
    removeOld(versions);
    await prepare(root, commit, folder, report);
  }
  fs.utimesSync(folder, new Date(), new Date());
  report(`the earlier version is ${await git(root, 'log', '-1', '--format=%h of %cs: %s', commit)}`);
  return builtIn(folder);
}

/** Returns the version that is built in a folder. @throws Error when an app of the version is not built */
function builtIn(folder: string): Version {
  const apps = appsIn(folder);
  const missing = apps.find((app) => !fs.existsSync(path.join(folder, 'apps', app, 'dist/main.js')));
  if (missing !== undefined) throw new Error(`${missing} is not built in ${folder}: run npm run build there`);
  return { folder, apps };
}

function appsIn(folder: string): string[] {
  const { APPS } = require(path.join(folder, 'apps/apps.js')) as { APPS: readonly AppRow[] };
  return APPS.map(({ name }) => name);
}

/**
 * Returns the hash of a revision; if `from` is null, the hash of the last release before HEAD.
 * @throws Error with a message for people when there is no such commit
 */
async function commitOf(root: string, from: string | null): Promise<string> {
  try {
    await git(root, 'rev-parse', '--verify', '--quiet', 'HEAD~1');
  } catch {
    throw new Error(
      'this checkout has no earlier commits: fetch its history (git fetch --unshallow), or name the folder of a built checkout with --from',
    );
  }
  const revision = from ?? (await lastRelease(root));
  try {
    return await git(root, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
  } catch {
    throw new Error(`--from: ${revision} is neither a revision of Git nor the folder of a checkout`);
  }
}

async function lastRelease(root: string): Promise<string> {
  const tag = await git(root, 'describe', '--tags', '--abbrev=0', '--match', '@tandem/*', 'HEAD~1').catch(() => '');
  const release = tag || (await git(root, 'log', '-1', '--format=%H', 'HEAD~1', '--', RELEASED));
  if (!release) throw new Error('there was no release before HEAD: name the earlier version with --from');
  return release;
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  return (await execute('git', args, { cwd })).stdout.trim();
}

/** Removes drafts that killed runs have left, and all versions except the two that were used last. */
function removeOld(versions: string): void {
  fs.mkdirSync(versions, { recursive: true });
  const found = fs.readdirSync(versions).map((name) => path.join(versions, name));
  const usedAt = (folder: string): number => fs.statSync(folder).mtimeMs;
  const drafts = found.filter((folder) => /\.\d+$/.test(folder));
  const complete = found.filter((folder) => !drafts.includes(folder)).sort((a, b) => usedAt(b) - usedAt(a));
  const left = drafts.filter((folder) => !isRunning(Number(path.extname(folder).slice(1))));
  for (const folder of [...left, ...complete.slice(KEPT - 1)]) fs.rmSync(folder, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Prepares a version in a draft folder, and renames the folder at the end, so that the folder of a version is either
 * complete or absent.
 */
async function prepare(root: string, commit: string, folder: string, report: (line: string) => void): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const run = async (what: string, file: string, ...args: string[]): Promise<void> => {
    report(`… ${what}`);
    const options = { cwd: draft, signal: abort.signal, maxBuffer: Infinity, shell: file.endsWith('.cmd') };
    await execute(file, args, options).catch(({ message, stdout = '' }: Error & { stdout?: string }) => {
      throw new Error(abort.signal.aborted ? 'interrupted' : `${what} failed: ${message}\n${stdout}`);
    });
  };
  try {
    fs.mkdirSync(draft);
    const archive = path.join(draft, '.archive.tar');
    await run(`sources of ${commit}`, 'git', '-C', root, 'archive', '--output', archive, commit);
    await run('unpacking', 'tar', '-xf', archive);
    fs.rmSync(archive);
    if (hasSamePackages(root, draft)) linkPackages(root, draft);
    else await run('packages (npm ci), a few minutes', npm, 'ci', '--ignore-scripts', '--no-audit', '--include=dev');
    const compilers = ['@typescript/native', 'typescript'].map((name) =>
      path.join(draft, 'node_modules', name, 'bin/tsc'),
    );
    const compiler = compilers.find((file) => fs.existsSync(file)) ?? '';
    const projects = appsIn(draft).map((app) => `apps/${app}/tsconfig.app.json`);
    await run('build of the apps', process.execPath, compiler, '-b', ...projects);
    fs.renameSync(draft, folder);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Returns whether both checkouts need the same npm packages. The versions of the checkouts' own packages may differ.
 */
function hasSamePackages(root: string, other: string): boolean {
  const [own, others] = [root, other].map((folder) => {
    const lock = JSON.parse(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
    return JSON.stringify(Object.entries(lock.packages).filter(([where]) => where.includes('node_modules/')));
  });
  return own === others;
}

/**
 * Links the npm packages that are installed in `root` into another checkout. The links to the repository's own packages
 * lead to the packages of that other checkout.
 */
function linkPackages(root: string, other: string): void {
  const installed = path.join(root, 'node_modules');
  const target = path.join(other, 'node_modules');
  fs.mkdirSync(path.join(target, '@tandem'), { recursive: true });
  for (const name of fs.readdirSync(installed).filter((each) => each !== '@tandem'))
    fs.symlinkSync(path.join(installed, name), path.join(target, name));
  for (const name of fs.readdirSync(path.join(installed, '@tandem')))
    fs.symlinkSync(fs.readlinkSync(path.join(installed, '@tandem', name)), path.join(target, '@tandem', name));
  // When two apps or libs need different versions of a package, npm installs one of the versions in the node_modules of
  // the app or lib.
  for (const project of ['apps', 'libs'].flatMap((group) =>
    fs.readdirSync(path.join(other, group)).map((name) => path.join(group, name, 'node_modules')),
  ))
    if (fs.existsSync(path.join(root, project))) fs.symlinkSync(path.join(root, project), path.join(other, project));
}
