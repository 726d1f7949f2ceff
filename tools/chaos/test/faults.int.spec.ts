import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describeKafka } from '@tandem/testing';
import { inRepository } from '@tandem/stack-client';

// The time limit covers the build and the startup of the platform. It is long, because repairs are slow on a machine that
// is busy with other tests.
jest.setTimeout(900_000);

const FAULTS = 30;
const SEED = 20261126;

describeKafka('a run with faults on Kafka', () => {
  it(`loses nothing and does nothing twice during ${FAULTS} faults of all kinds [replicas.faults]`, async () => {
    const run = ['--faults', String(FAULTS), '--bus', 'kafka', '--seed', String(SEED)];
    // KAFKA_BROKERS is removed, because this run starts its own brokers.
    const env = { ...process.env };
    delete env['KAFKA_BROKERS'];
    const child = spawn(process.execPath, [inRepository('tools/chaos/dist/main.js'), ...run], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(output).toMatch(/^chaos passed$/m);
    expect(output).toMatch(/^lost +0 *$/m);
    expect(output).toMatch(/^done twice +0 *$/m);
    for (const kind of ['kill', 'stop', 'clock', 'memory', 'abandon', 'postgres-failover', 'too-few-replicas']) {
      expect(output).toMatch(new RegExp(`^${kind} {2,}[1-9]`, 'm'));
    }
    expect(code).toBe(0);
  });
});
