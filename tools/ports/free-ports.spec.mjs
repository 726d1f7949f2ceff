import { existsSync, readFileSync } from 'node:fs';
import { freePorts } from './free-ports.js';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

describe('freePorts', () => {
  it('finds as many different ports as it is asked for', async () => {
    expect(new Set(await freePorts(20)).size).toBe(20);
  });

  it('finds no port that the system gives to an outgoing connection by default', async () => {
    const first = existsSync(RANGE) ? Number(/\d+/.exec(readFileSync(RANGE, 'utf8'))?.[0]) : 32_768;
    // Of a range that somebody has lowered, nothing can be said.
    expect(Math.max(...(await freePorts(20)))).toBeLessThan(Math.max(first, 32_768));
  });
});
