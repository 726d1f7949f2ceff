import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { socketFactory, wholeResponses } from './kafkajs-sockets';

const response = (text: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
};

describe('wholeResponses', () => {
  let taken: Buffer[];
  let listen: (chunk: Buffer) => void;
  beforeEach(() => {
    taken = [];
    listen = wholeResponses((responses) => taken.push(responses));
  });

  it('emits a response that arrives byte by byte only when the response is complete', () => {
    const bytes = response('metadata');
    for (const byte of bytes.subarray(0, -1)) listen(Buffer.from([byte]));
    expect(taken).toEqual([]);
    listen(bytes.subarray(-1));
    expect(taken).toEqual([bytes]);
  });

  it('holds back an incomplete response that arrived together with complete responses', () => {
    const last = response('third');
    listen(Buffer.concat([response('first'), response(''), last.subarray(0, 6)]));
    expect(taken).toEqual([Buffer.concat([response('first'), response('')])]);
    listen(last.subarray(6));
    expect(taken.at(-1)).toEqual(last);
  });

  it('emits all bytes of a stream, wherever its chunks begin and end', () => {
    const stream = Buffer.concat(['a', 'bc', '', 'def'.repeat(50)].map(response));
    for (let size = 1; size <= stream.length; size++) {
      taken = [];
      for (let from = 0; from < stream.length; from += size) listen(stream.subarray(from, from + size));
      expect(Buffer.concat(taken)).toEqual(stream);
    }
  });
});

describe('a socket with an unanswered request', () => {
  let broker: Server;
  let socket: Socket;
  let elapsed: number;
  beforeEach(async () => {
    elapsed = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + elapsed);
    broker = createServer().listen(0, '127.0.0.1');
    await once(broker, 'listening');
    const { port } = broker.address() as AddressInfo;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'Date'] });
    socket = socketFactory({ closed: false })({
      host: '127.0.0.1',
      port,
      onConnect: () => undefined,
    } as never) as Socket;
    socket.on('error', () => undefined);
    await once(socket, 'connect');
  });
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    socket.destroy();
    broker.close();
  });

  it('is destroyed after 20 s, even if the clock of the host has stepped back', () => {
    socket.write('request');
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 600_000);
    elapsed = 19_000;
    jest.advanceTimersByTime(1_000);
    expect(socket.destroyed).toBe(false);
    elapsed = 20_100;
    jest.advanceTimersByTime(1_000);
    expect(socket.destroyed).toBe(true);
  });

  it('stays open when the clock of the host has stepped forward', () => {
    socket.write('request');
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 600_000);
    jest.advanceTimersByTime(1_000);
    expect(socket.destroyed).toBe(false);
  });
});
