const { readdirSync, existsSync } = require('node:fs');
const path = require('node:path');

const projects = ['libs', 'apps', 'tools', 'examples']
  .filter((group) => existsSync(path.join(__dirname, group)))
  .flatMap((group) => readdirSync(path.join(__dirname, group)).map((name) => path.join(__dirname, group, name)))
  .filter((directory) => existsSync(path.join(directory, 'jest.config.js')));

module.exports = { projects };
