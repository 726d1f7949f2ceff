import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** Ed25519 key pairs of callers of internal routes, in the form of the apps' environment. */
export class TestServiceKeys {
  private readonly pairs: Map<string, { privateKey: KeyObject; publicKey: KeyObject }>;

  constructor(...callers: string[]) {
    this.pairs = new Map(callers.map((caller) => [caller, generateKeyPairSync('ed25519')]));
  }

  /** SERVICE_PRIVATE_KEY of a caller. */
  privateKeyOf(caller: string): string {
    const pair = this.pairs.get(caller);
    if (!pair) throw new Error(`there is no key for ${caller}`);
    return pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  }

  /** SERVICE_PUBLIC_KEYS of an app that these callers may call. Default: all callers. */
  publicKeysOf(callers: readonly string[] = [...this.pairs.keys()]): string {
    return callers
      .map((caller) => {
        const key = this.pairs.get(caller)?.publicKey.export({ format: 'der', type: 'spki' });
        return `${caller}:${key?.toString('base64')}`;
      })
      .join();
  }
}
