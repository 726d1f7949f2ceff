const { readdirSync, existsSync } = require('node:fs');
const path = require('node:path');
const configOf = require('./jest.project');

/** Every package that has tests; a new one needs no entry. */
const projects = ['libs', 'apps', 'tools', 'examples']
  .filter((group) => existsSync(path.join(__dirname, group)))
  .flatMap((group) => readdirSync(path.join(__dirname, group)).map((name) => path.join(__dirname, group, name)))
  .filter((directory) => existsSync(path.join(directory, 'package.json')))
  .map(configOf);

/** Folders of tools that are no package. */
const SCRIPTS = ['api-changes', 'new', 'observability', 'ports', 'stack', 'supply-chain', 'test'];

module.exports = {
  projects: [...projects, configOf.scripts(path.join(__dirname, 'tools'), SCRIPTS)],
  testSequencer: path.join(__dirname, 'tools/test/slowest-first.mjs'),
  globalSetup: path.join(__dirname, 'tools/test/jest-global-setup.mjs'),
  globalTeardown: path.join(__dirname, 'tools/test/jest-global-teardown.mjs'),
};
