import { AsyncLocalStorage } from 'node:async_hooks';
import { withoutContext } from './context';

describe('withoutContext', () => {
  it('runs work, and everything it starts, outside of the caller’s context', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen = await storage.run('a request', () =>
      withoutContext(async () => {
        const before = storage.getStore();
        await new Promise((resolve) => setImmediate(resolve));
        return [before, storage.getStore()];
      }),
    );
    expect(seen).toEqual([undefined, undefined]);
  });

  it('leaves the caller’s own context unchanged', () => {
    const storage = new AsyncLocalStorage<string>();
    storage.run('a request', () => {
      withoutContext(() => undefined);
      expect(storage.getStore()).toBe('a request');
    });
  });
});
