const { readFileSync } = require('node:fs');
const path = require('node:path');

/** How swc compiles a source file, for the tests and for `npm run dev`. */
const SWC = {
  swcrc: false,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: { decoratorMetadata: true, legacyDecorator: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'commonjs' },
};

// Jest transforms no package except these four. jose, uuid and oidc-provider are published as ES modules only. The exporter of spans has
// an `import()`, which Jest can run only after a transform.
const NOT_TRANSFORMED = ['/node_modules/(?!(?:jose|uuid|oidc-provider|@opentelemetry/otlp-exporter-base)/)'];

/**
 * The settings that all projects have in common. All projects have the same `rootDir` and the same `id`, because only projects with equal
 * values share Jest's cache of compiled files: otherwise, each lib would be compiled again for each project that uses it. Such projects
 * also share Jest's resolver, so all of them must resolve modules in the same way.
 */
const COMMON = {
  rootDir: __dirname,
  id: 'packages',
  testEnvironment: 'node',
  setupFilesAfterEnv: [path.join(__dirname, 'jest.setup.js')],
};

/** Returns the path of a folder in the form of Jest's patterns, which begins with `<rootDir>`. @param {string} directory */
const inRoot = (directory) => `<rootDir>/${path.relative(__dirname, directory).split(path.sep).join('/')}`;

/**
 * Returns the Jest configuration of a package: swc compiles the TypeScript, and libs resolve to their sources, so that no build is needed.
 * @param {string} directory the project's own folder
 */
module.exports = (directory) => ({
  displayName: JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8')).name.replace('@tandem/', ''),
  ...COMMON,
  roots: [directory],
  testEnvironmentOptions: { customExportConditions: ['@tandem/source', 'node', 'require', 'default'] },
  testMatch: ['src', 'test'].map((folder) => `${inRoot(directory)}/${folder}/**/*.spec.ts`),
  transform: {
    '^.+\\.[tj]s$': ['@swc/jest', { ...SWC, sourceMaps: 'inline' }],
  },
  transformIgnorePatterns: NOT_TRANSFORMED,
  moduleFileExtensions: ['ts', 'js', 'json'],
  modulePathIgnorePatterns: [`${inRoot(directory)}/dist/`],
});

/**
 * Returns the Jest configuration of the scripts in tools/, which are plain JavaScript outside any package. Jest compiles them to CommonJS.
 *
 * @param {string} directory the folder that contains `folders`
 * @param {readonly string[]} folders
 */
module.exports.scripts = (directory, folders) => ({
  displayName: 'scripts',
  ...COMMON,
  id: 'scripts',
  roots: folders.map((name) => path.join(directory, name)),
  testMatch: ['**/*.spec.mjs'],
  transform: {
    '^.+\\.m?js$': [
      '@swc/jest',
      { ...SWC, jsc: { ...SWC.jsc, parser: { syntax: 'ecmascript' } }, sourceMaps: 'inline' },
    ],
  },
  transformIgnorePatterns: NOT_TRANSFORMED,
  moduleFileExtensions: ['mjs', 'js', 'json'],
});

module.exports.SWC = SWC;
