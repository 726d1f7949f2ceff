import { existsSync, readFileSync } from 'node:fs';
import { freePorts } from './free-ports.js';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

describe('freePorts', () => {
  it('returns as many different ports as the caller requests', async () => {
    expect(new Set(await freePorts(20)).size).toBe(20);
  });

  it('returns different ports in consecutive calls, although nothing listens on them yet', async () => {
    const ports = [];
    for (let round = 0; round < 4; round++) ports.push(...(await freePorts(200)));
    expect(new Set(ports).size).toBe(ports.length);
  });

  it('returns no port that the system gives to outgoing connections by default', async () => {
    const first = existsSync(RANGE) ? Number(/\d+/.exec(readFileSync(RANGE, 'utf8'))?.[0]) : 32_768;
    // freePorts does not know the range of this machine. If that range begins below Linux's default of 32,768, freePorts may return ports in it.
    expect(Math.max(...(await freePorts(20)))).toBeLessThan(Math.max(first, 32_768));
  });
});
