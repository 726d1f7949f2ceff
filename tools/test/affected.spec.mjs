import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { changedFiles, output, selectionOf } from './affected-tests.mjs';
import { ROOT } from '../stack/paths.mjs';

describe('the tests that a change affects', () => {
  it('are the tests of the projects that Nx counts as affected, each given by its project name in Jest', () => {
    const affected = ['@tandem/idp-api', '@tandem/discovery'];
    expect(selectionOf(['apps/discovery/src/main.ts', 'CHANGELOG.md'], affected)).toEqual({
      projects: ['discovery', 'idp-api'],
    });
  });

  for (const file of [
    'package-lock.json',
    'tools/stack/start.mjs',
    'docs/partner-guide.md',
    'docs/decisions/README.md',
    'apps/apps.js',
    '.ci/run',
  ]) {
    it(`are all tests when ${file}, which no project owns, has changed`, () => {
      expect(selectionOf(['apps/discovery/src/main.ts', file], [])).toEqual({ because: file, projects: [] });
    });
  }

  it('include, for a file of an app, the tests of the tools that load every app by its path', () => {
    const nx = createRequire(import.meta.url).resolve('nx/bin/nx.js');
    const file = 'apps/discovery/src/app.module.ts';
    const shown = output(ROOT, process.execPath, nx, 'show', 'projects', '--affected', `--files=${file}`, '--json');
    const { projects } = selectionOf([file], JSON.parse(shown));
    for (const tool of ['conformance', 'deployment', 'discovery', 'fuzz']) expect(projects).toContain(tool);
  });

  it('depend on the files changed since the branch began: committed, edited and untracked files', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tandem-changed-'));
    const git = (...args) => output(folder, 'git', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args);
    const write = (name) => fs.writeFileSync(path.join(folder, name), name);
    const commit = (name) => {
      write(name);
      git('add', name);
      git('commit', '--quiet', '--message', name);
    };
    try {
      git('init', '--quiet', '--initial-branch=main');
      commit('kept');
      commit('edited');
      git('switch', '--quiet', '--create', 'change');
      commit('committed');
      git('switch', '--quiet', 'main');
      commit('of others');
      git('switch', '--quiet', 'change');
      fs.appendFileSync(path.join(folder, 'edited'), '!');
      write('new');
      expect(changedFiles(folder, 'main').sort()).toEqual(['committed', 'edited', 'new']);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  });
});

describe('npm run test:affected', () => {
  it.each([
    [['--base', 'no-branch'], 'there is no branch or commit "no-branch"\n'],
    [['--bases', 'main'], "Unknown option '--bases'"],
    [['--base', '--list'], "Option '--base' argument is ambiguous."],
  ])('with %j refuses the argument in one line, and shows how to use the command', (args, message) => {
    const script = path.join(ROOT, 'tools/test/affected.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr.startsWith(message)).toBe(true);
    expect(stderr).toMatch(/^[^\n]+\nUse: npm run test:affected -- [^\n]+\n$/);
  });
});
