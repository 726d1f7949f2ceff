import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { lagOf } from './kafka-lag';

jest.setTimeout(30_000);

describe('reading the lag of a consumer group', () => {
  it('times out when a broker accepts connections but never answers', async () => {
    const sockets: Socket[] = [];
    const broker = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(broker, 'listening');
    const kafkaBrokers = [`127.0.0.1:${(broker.address() as AddressInfo).port}`];
    try {
      const options = { app: 'reader', group: 'reader', kafkaBrokers, busUrl: '', onFatal: jest.fn() };
      const lag = lagOf(options, ['book'], { closed: false });
      await expect(lag).rejects.toThrow();
      expect(sockets.length).toBeGreaterThan(0);
    } finally {
      for (const socket of sockets) socket.destroy();
      broker.close();
    }
  });
});
