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

  it('emits a response that arrived byte by byte only when it is complete', () => {
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
