const { readdirSync, existsSync } = require('node:fs');
const path = require('node:path');
const configOf = require('./jest.project');

/** All packages of these groups: a new package needs no entry here. */
const projects = ['libs', 'apps', 'tools', 'examples']
  .filter((group) => existsSync(path.join(__dirname, group)))
  .flatMap((group) => readdirSync(path.join(__dirname, group)).map((name) => path.join(__dirname, group, name)))
  .filter((directory) => existsSync(path.join(directory, 'package.json')))
  .map(configOf);

/** The folders in tools/ that have tests and are not packages. */
const SCRIPTS = ['api-changes', 'backup', 'new', 'observability', 'options', 'ports', 'stack', 'supply-chain', 'test'];

module.exports = {
  projects: [...projects, configOf.scripts(path.join(__dirname, 'tools'), SCRIPTS)],
  testSequencer: path.join(__dirname, 'tools/test/slowest-first.mjs'),
  globalSetup: path.join(__dirname, 'tools/test/jest-global-setup.mjs'),
  globalTeardown: path.join(__dirname, 'tools/test/jest-global-teardown.mjs'),
};
