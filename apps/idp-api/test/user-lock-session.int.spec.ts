import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { eventually } from '@tandem/testing';
import type { IdpApiConfig } from '../src/config';
import { UserLockSession } from '../src/user-lock/user-lock.session';
import { Idp, newKrn } from './idp';

/** Stands between a client and Postgres, and can swallow everything of the connections that are open, as a silent failover does. */
class SwallowingProxy {
  private readonly server: Server;
  private readonly open = new Set<Socket>();
  private readonly upstreams = new Set<Socket>();

  private constructor(target: URL) {
    this.server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      this.upstreams.add(upstream);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.open.add(from);
        from.on('error', () => undefined).on('close', () => to.destroy());
        from.pipe(to);
      }
    });
  }

  static async start(target: URL): Promise<SwallowingProxy> {
    const proxy = new SwallowingProxy(target);
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get port(): string {
    return String((this.server.address() as AddressInfo).port);
  }

  /** Nothing of the open connections arrives from now on; new ones are served. */
  swallow(): void {
    for (const socket of this.open) socket.unpipe().pause();
  }

  /** What is sent arrives from now on, and no answer does. */
  swallowAnswers(): void {
    for (const socket of this.upstreams) socket.unpipe().resume();
  }

  /** Breaks the connections that were swallowed. */
  cut(): void {
    for (const socket of this.open) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('the session of user locks', () => {
  let idp: Idp;
  let proxy: SwallowingProxy;
  const sessions: UserLockSession[] = [];
  beforeAll(async () => {
    idp = await Idp.start();
  });
  beforeEach(async () => {
    proxy = await SwallowingProxy.start(new URL(idp.database.urlFor('idp')));
  });
  afterEach(async () => {
    await proxy.stop();
    await Promise.all(sessions.splice(0).map((session) => session.onApplicationShutdown()));
  });
  afterAll(() => idp.stop());

  const open = (url: URL): UserLockSession => {
    const session = new UserLockSession({ DATABASE_URL: url.toString() } as IdpApiConfig);
    sessions.push(session);
    return session;
  };
  const overProxy = (): UserLockSession => {
    const url = new URL(idp.database.urlFor('idp'));
    url.port = proxy.port;
    url.hostname = '127.0.0.1';
    return open(url);
  };
  const direct = (): UserLockSession => open(new URL(idp.database.urlFor('idp')));

  it('is opened again after one time-out when the connection has gone silent', async () => {
    const session = overProxy();
    expect(await session.tryLock(newKrn())).toBe(true);
    proxy.swallow();
    await expect(session.tryLock(newKrn())).rejects.toThrow();
    expect(await session.tryLock(newKrn())).toBe(true);
  });

  it('holds no lock that a statement took whose answer never came', async () => {
    const krn = newKrn();
    const session = overProxy();
    expect(await session.tryLock(newKrn())).toBe(true);
    proxy.swallowAnswers();
    await expect(session.tryLock(krn)).rejects.toThrow();
    await eventually(async () => expect(await direct().tryLock(krn)).toBe(true));
  });

  it('keeps the locks of its new connection when the old one ends late', async () => {
    const krn = newKrn();
    const session = overProxy();
    await session.tryLock(newKrn());
    proxy.swallow();
    await expect(session.tryLock(newKrn())).rejects.toThrow();
    expect(await session.tryLock(krn)).toBe(true);
    expect(await direct().tryLock(krn)).toBe(false);
  });
});
