import { wholeResponses } from './kafkajs-sockets';

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

  it('hands over a response that came byte by byte when it is whole', () => {
    const bytes = response('metadata');
    for (const byte of bytes.subarray(0, -1)) listen(Buffer.from([byte]));
    expect(taken).toEqual([]);
    listen(bytes.subarray(-1));
    expect(taken).toEqual([bytes]);
  });

  it('holds back the beginning of a response that came with whole ones', () => {
    const last = response('third');
    listen(Buffer.concat([response('first'), response(''), last.subarray(0, 6)]));
    expect(taken).toEqual([Buffer.concat([response('first'), response('')])]);
    listen(last.subarray(6));
    expect(taken.at(-1)).toEqual(last);
  });

  it('hands over all bytes of a stream, wherever it is cut', () => {
    const stream = Buffer.concat(['a', 'bc', '', 'def'.repeat(50)].map(response));
    for (let size = 1; size <= stream.length; size++) {
      taken = [];
      for (let from = 0; from < stream.length; from += size) listen(stream.subarray(from, from + size));
      expect(Buffer.concat(taken)).toEqual(stream);
    }
  });
});
