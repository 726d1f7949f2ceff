import { existsSync, readFileSync } from 'node:fs';
import { freePorts } from './free-ports.js';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

describe('freePorts', () => {
  it('finds as many different ports as it is asked for', async () => {
    expect(new Set(await freePorts(50)).size).toBe(50);
  });

  it('finds no port that the system could give to an outgoing connection', async () => {
    const first = existsSync(RANGE) ? Number(/\d+/.exec(readFileSync(RANGE, 'utf8'))?.[0]) : 32_768;
    expect(Math.max(...(await freePorts(500)))).toBeLessThan(first);
  });
});
