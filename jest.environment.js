const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { installCommonGlobals } = require('jest-util');

/** Jest expects timers of the old kind too. */
const OLD_TIMERS = { idToRef: (id) => ({ id, ref: () => id, unref: () => id }), refToId: (timer) => timer?.id };

/**
 * Runs a test file with the process's own globals instead of copies of them, so that `Error`, `Array` and the rest are the same for the
 * file and for the packages, which are loaded once per process (jest.runtime.js). After the file, the globals and the process are again
 * what they were: variables of the environment, listeners, and the stores of decorators, which class-validator and TypeORM keep there.
 */
class SharedEnvironment {
  global = globalThis;

  constructor({ projectConfig }) {
    installGlobals(projectConfig);
    this.conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.globals = new Map(Reflect.ownKeys(globalThis).map((key) => [key, descriptorOf(key)]));
    this.process = { exit: process.exit, getBuiltinModule: process.getBuiltinModule };
    this.env = { ...process.env };
    this.listeners = new Set(listenersOfProcess().map(({ listener }) => listener));
    this.moduleMocker = new ModuleMocker(globalThis);
    const options = { config: projectConfig, global: globalThis, moduleMocker: this.moduleMocker };
    this.fakeTimers = new LegacyFakeTimers({ ...options, timerConfig: OLD_TIMERS });
    this.fakeTimersModern = new ModernFakeTimers(options);
  }

  /** Jest calls it before the file; there is nothing left to prepare. */
  setup() {
    return undefined;
  }

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    for (const { name, listener } of listenersOfProcess())
      if (!this.listeners.has(listener)) process.removeListener(name, listener);
    for (const name of Object.keys(process.env)) if (!(name in this.env)) delete process.env[name];
    Object.assign(process.env, this.env);
    Object.assign(process, this.process);
    for (const key of Reflect.ownKeys(globalThis)) if (!this.globals.has(key)) Reflect.deleteProperty(globalThis, key);
    for (const [key, before] of this.globals) {
      const now = descriptorOf(key);
      const isChanged = now?.value !== before.value || now?.get !== before.get;
      if (before.configurable && isChanged) Object.defineProperty(globalThis, key, before);
    }
  }

  exportConditions() {
    return this.conditions;
  }

  /** Jest checks that there is a context; the runtime compiles for the process's own. */
  getVmContext() {
    return {};
  }
}

const descriptorOf = (key) => Reflect.getOwnPropertyDescriptor(globalThis, key);

const listenersOfProcess = () =>
  process.eventNames().flatMap((name) => process.rawListeners(name).map((listener) => ({ name, listener })));

/** Defines what Jest expects among the globals, once per process; it would also replace `process` with a copy. */
function installGlobals({ globals }) {
  if (Symbol.for('jest-native-promise') in globalThis) return;
  const own = globalThis.process;
  installCommonGlobals(globalThis, globals, 'off');
  globalThis.process = own;
}

module.exports = { __esModule: true, default: SharedEnvironment };
