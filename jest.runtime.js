const path = require('node:path');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const PACKAGES = `${path.sep}node_modules${path.sep}`;

/** Loaded again for each file, because they keep what the file's own code registers. */
const PER_FILE = ['prom-client', 'class-validator-jsonschema'].map((name) => PACKAGES + name + path.sep);

/**
 * Loads the packages of node_modules once per process, as Node does, instead of once per test file: Nest, TypeORM and the rest take
 * 2 s of a processor. The repository's own code is loaded again for each file.
 */
class SharedRuntime extends Runtime {
  constructor(config, environment, ...rest) {
    super(config, environment, ...rest);
    this.isShared = environment.global === globalThis;
    // In the process's own context, like the packages: see jest.environment.js.
    if (this.isShared)
      this.executor.compile = (source, filename) =>
        vm.compileFunction(source, this.executor.injectedModuleParameters, {
          filename,
          importModuleDynamically: (specifier) => import(specifier),
        });
  }

  requireModule(from, moduleName, options, isRequireActual) {
    const isOwn =
      !this.isShared || !moduleName || options?.isInternalModule || this._resolution.isCoreModule(moduleName);
    if (!isOwn) {
      const file = this._resolution.resolveCjs(from, moduleName);
      if (file.includes(PACKAGES) && !PER_FILE.some((name) => file.includes(name))) return require(file);
    }
    return super.requireModule(from, moduleName, options, isRequireActual);
  }
}

module.exports = { __esModule: true, default: SharedRuntime };
