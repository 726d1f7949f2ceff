const { readdirSync, existsSync } = require('node:fs');
const path = require('node:path');
const configOf = require('./jest.project');

/** Every package that has tests; a new one needs no entry. */
const projects = ['libs', 'apps', 'tools', 'examples']
  .filter((group) => existsSync(path.join(__dirname, group)))
  .flatMap((group) => readdirSync(path.join(__dirname, group)).map((name) => path.join(__dirname, group, name)))
  .filter((directory) => existsSync(path.join(directory, 'package.json')))
  .map(configOf);

module.exports = {
  projects,
  globalSetup: path.join(__dirname, 'tools/start/jest-global-setup.mjs'),
  globalTeardown: path.join(__dirname, 'tools/start/jest-global-teardown.mjs'),
};
