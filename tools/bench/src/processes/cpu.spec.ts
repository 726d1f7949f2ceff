import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpuOfPostgres, cpuOfProcess } from './cpu';

const onLinux = process.platform === 'linux' ? describe : describe.skip;
const TICK_MS = 10;
const BUSY = 'for (const end = Date.now() + 300; Date.now() < end;) { Math.random(); }';

onLinux('CPU time of a process', () => {
  it('is the time that the process itself reports, within 20 ms', () => {
    const usedMs = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
    const before = usedMs();
    const told = cpuOfProcess(process.pid) as number;
    expect(told).toBeGreaterThan(before - 2 * TICK_MS);
    expect(told).toBeLessThan(usedMs() + 2 * TICK_MS);
  });

  it('is null for a process that has ended', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(cpuOfProcess(child.pid as number)).toBeNull();
  });

  it('includes the child processes of a server, while they run and after they have ended', async () => {
    const before = cpuOfPostgres(process.pid) as number;
    const child = spawn(process.execPath, ['-e', `${BUSY} process.stdout.write('done'); setInterval(() => {}, 1000);`]);
    await once(child.stdout, 'data');
    const childMs = cpuOfProcess(child.pid as number) as number;
    const running = (cpuOfPostgres(process.pid) as number) - before;
    child.kill('SIGKILL');
    await once(child, 'exit');
    const ended = (cpuOfPostgres(process.pid) as number) - before;
    expect(childMs).toBeGreaterThan(0);
    expect(running).toBeGreaterThanOrEqual(childMs);
    expect(ended).toBeGreaterThanOrEqual(childMs);
  });
});
