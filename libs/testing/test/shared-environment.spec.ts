import path from 'node:path';
import vm from 'node:vm';
import { Pool } from 'pg';

const ROOT = path.resolve(__dirname, '../../..');

interface Environment {
  teardown(): Promise<void>;
}
type EnvironmentClass = new (config: { projectConfig: object }) => Environment;

describe('the environment of the tests', () => {
  it('has the globals of the process, and the packages that the process has loaded', () => {
    expect(vm.runInThisContext('Error')).toBe(Error);
    const loaded = vm.runInThisContext('process').mainModule?.constructor as {
      _cache?: Record<string, { exports: unknown }>;
    };
    expect(loaded._cache?.[require.resolve('pg')]?.exports).toMatchObject({ Pool });
  });

  it('leaves no variable, listener or global of a file to the next one', async () => {
    const { default: SharedEnvironment } = (await import(path.join(ROOT, 'jest.environment.js'))) as {
      default: EnvironmentClass;
    };
    const environment = new SharedEnvironment({ projectConfig: { testEnvironmentOptions: {}, globals: {} } });
    const [home, exit, fetch] = [process.env['HOME'], process.exit, globalThis.fetch];
    const listeners = process.listenerCount('SIGUSR2');

    Object.assign(process.env, { HOME: 'changed', OF_A_TEST: '1' });
    process.once('SIGUSR2', () => undefined);
    Object.assign(process, { exit: () => undefined });
    Object.assign(globalThis, { ofATest: 1, fetch: () => undefined });
    await environment.teardown();

    expect([process.env['HOME'], process.env['OF_A_TEST']]).toEqual([home, undefined]);
    expect(process.listenerCount('SIGUSR2')).toBe(listeners);
    expect([process.exit, globalThis.fetch, 'ofATest' in globalThis]).toEqual([exit, fetch, false]);
  });
});
