import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@tandem/testing';
import { Service } from '../src/replicas/service';

/** A replica that answers with its own name. */
class StandIn {
  isReady = true;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(name: string): Promise<StandIn> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const replica = new StandIn(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      const status = request.url === '/readyz' && !replica.isReady ? 503 : 200;
      response.writeHead(status, { connection: 'close' }).end(name);
    });
    return replica;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

describe('the address of an app with several replicas', () => {
  let service: Service;
  let url: string;
  let replicas: StandIn[];

  /** Sends a number of requests, each on a separate connection. @returns the names of the replicas that answered */
  const answersOf = async (count: number): Promise<string[]> => {
    const names: string[] = [];
    for (let asked = 0; asked < count; asked++) names.push(await (await fetch(url)).text());
    return names.sort();
  };

  beforeEach(async () => {
    service = await Service.open(0);
    url = service.url;
    replicas = await Promise.all(['one', 'two', 'three'].map((name) => StandIn.start(name)));
    await Promise.all(replicas.map((replica) => service.add(replica)));
  });
  afterEach(() => {
    service.close();
    for (const replica of replicas) replica.stop();
  });

  it('gives each connection to the next replica', async () => {
    expect(await answersOf(6)).toEqual(['one', 'one', 'three', 'three', 'two', 'two']);
  });

  it('skips a replica that is not ready', async () => {
    const [one] = replicas as [StandIn];
    one.isReady = false;
    await eventually(async () => expect(await answersOf(3)).not.toContain('one'));
    expect(await answersOf(4)).toEqual(['three', 'three', 'two', 'two']);
    one.isReady = true;
    await eventually(async () => expect(await answersOf(3)).toContain('one'));
  });

  it('gives a connection to another replica when the first one refuses it', async () => {
    (replicas[0] as StandIn).stop();
    expect(new Set(await answersOf(6))).toEqual(new Set(['two', 'three']));
  });
});
