import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Runner } from './runner.mjs';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'runner-'));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

/** A program whose behavior depends on its environment. */
const program = path.join(scratch, 'program.cjs');
fs.writeFileSync(
  program,
  `
  const fs = require('node:fs');
  fs.appendFileSync(process.env.NOTES, process.env.NAME + ' ' + process.pid + '\\n');
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  if (process.env.STUBBORN) process.on('SIGTERM', () => {});
  else process.once('SIGTERM', () => { console.log('drained'); process.exit(0); });
  if (process.env.CRASH_AFTER) setTimeout(() => process.exit(Number(process.env.CODE ?? 7)), Number(process.env.CRASH_AFTER));
  setInterval(() => undefined, 1000);
  if (!process.env.SILENT) process.send({ ready: true, name: process.env.NAME });`,
);

/** A runner in a separate process, like npm start. */
const starter = path.join(scratch, 'starter.mjs');
fs.writeFileSync(
  starter,
  `
  import { Runner } from ${JSON.stringify(new URL('./runner.mjs', import.meta.url).href)};
  const { stages, options } = JSON.parse(process.argv[2]);
  const runner = new Runner({
    readyMs: 5000, stopMs: 800, ...options,
    onLine: (name, line) => console.log('[' + name + '] ' + line),
    report: (text) => console.log('TELL ' + text),
  });
  try {
    for (const stage of stages) {
      const messages = await runner.start(...stage.map((program) => ({ ...program, file: ${JSON.stringify(program)}, env: { NAME: program.name, NOTES: process.env.NOTES, ...program.env } })));
      console.log('STAGE ' + messages.map(({ name }) => name).join(','));
    }
    console.log('READY');
  } catch (error) { console.log('ERROR ' + error.message); void runner.stop(1); }
  process.exitCode = await runner.done;`,
);

/** Starts a runner. @param {boolean} [inShell] whether the runner starts in a shell, as a script of npm does */
async function startRunner(stages, options = {}, inShell = false) {
  const notes = path.join(scratch, `notes-${Math.random()}`);
  fs.writeFileSync(notes, '');
  const args = [starter, JSON.stringify({ stages, options })];
  // A second command keeps the shell from replacing itself with the first.
  const shell = ['-c', '"$@"; exit $?', 'sh', process.execPath, ...args];
  const child = spawn(inShell ? 'sh' : process.execPath, inShell ? shell : args, {
    env: { ...process.env, NOTES: notes, npm_lifecycle_event: inShell ? 'start' : undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const exited = once(child, 'exit').then(([code]) => code);
  return {
    child,
    exited,
    output: () => output,
    seen: (pattern) =>
      until(
        () => pattern.test(output),
        () => output,
      ),
    /** Returns the ids of all processes that were started as the program `name`, in order. */
    pids: (name) =>
      fs
        .readFileSync(notes, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(`${name} `))
        .map((line) => Number(line.split(' ')[1])),
  };
}

async function until(holds, explain) {
  for (const deadline = Date.now() + 15_000; !holds(); await delay(20))
    expect([explain(), Boolean(Date.now() < deadline)]).toEqual([explain(), true]);
}

/** Returns whether a process runs. A zombie (a process that has ended, but whose parent has not read its exit code yet) does not run. */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    const stat = `/proc/${pid}/stat`;
    return !fs.existsSync('/proc/self/stat') || !/^\d+ \(.*\) Z/.test(fs.readFileSync(stat, 'utf8'));
  } catch {
    return false;
  }
};
const allGone = (pids) =>
  until(
    () => !pids.some(isAlive),
    () => `still running: ${pids.filter(isAlive)}`,
  );

describe('a task of the runner', () => {
  /** Starts a task that writes its process id to a file and does not end on SIGTERM. @returns the id when the task runs */
  async function startTask(runner, options) {
    const file = path.join(scratch, `task-${Math.random()}`);
    const script = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid))`;
    const failed = runner.task(process.execPath, ['-e', script], options).catch((error) => error);
    const read = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');
    await until(
      () => read() !== '',
      () => 'the task did not start',
    );
    return { pid: Number(read()), failed };
  }

  it('has ended when it rejects because it was aborted', async () => {
    const abort = new AbortController();
    const { pid, failed } = await startTask(new Runner(), { signal: abort.signal, endSignal: 'SIGKILL' });
    abort.abort();
    expect((await failed).message).toMatch(/failed \(SIGKILL\)/);
    expect(isAlive(pid)).toBe(false);
  });

  it('is ended at once when its AbortSignal was aborted before its start', async () => {
    const task = new Runner().task(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      signal: AbortSignal.abort(),
    });
    await expect(task).rejects.toThrow('failed (SIGTERM)');
  });

  it('has been killed when `stop` of the runner resolves, even if it does not end on SIGTERM', async () => {
    const runner = new Runner({ stopMs: 300 });
    const { pid, failed } = await startTask(runner);
    await runner.stop(0);
    expect(isAlive(pid)).toBe(false);
    expect((await failed).message).toBe('stopped');
  });

  it('passes its lines to onLine under its name, even if it fails', async () => {
    const lines = [];
    const runner = new Runner({ onLine: (name, line) => lines.push(`${name}: ${line}`) });
    const task = (code) =>
      runner.task(process.execPath, ['-e', `console.log('a\\nb'); process.exit(${code})`], { name: 'migrate' });
    expect(await task(0)).toBe('a\nb\n');
    await expect(task(1)).rejects.toThrow('a\nb');
    expect(lines).toEqual(['migrate: a', 'migrate: b', 'migrate: a', 'migrate: b']);
  });

  it('passes all its lines to onLine as they arrive, and keeps lines of stdout and stderr apart', async () => {
    const lines = [];
    const runner = new Runner({ onLine: (_, line) => lines.push(line) });
    const script = `
      process.stderr.write('one ');
      for (let i = 1; i <= 3000; i++) console.log('line ' + i);
      setTimeout(() => process.stderr.write('message\\n'), 300);
      setInterval(() => undefined, 1000);`;
    const abort = new AbortController();
    const task = runner.task(process.execPath, ['-e', script], { name: 'migrate', signal: abort.signal });
    const failed = task.catch((error) => error);
    try {
      await until(
        () => lines.length === 3001,
        () => `${lines.length} lines`,
      );
    } finally {
      abort.abort();
    }
    // The lines of stdout and stderr may arrive in any order.
    const message = 'one message';
    expect(lines.filter((line) => line !== message)).toEqual(Array.from({ length: 3000 }, (_, i) => `line ${i + 1}`));
    expect(lines).toContain(message);
    const told = (await failed).message;
    expect(told).toMatch(/failed \(SIGTERM\)\n/);
    expect(told).toMatch(/\nline 3000$/m);
    expect(told).toMatch(/^one message$/m);
  });

  it('passes a line without an end to onLine in parts, as the parts arrive', async () => {
    const lines = [];
    let isWritten = false;
    const onLine = (_name, line) => {
      if (line === 'written') isWritten = true;
      else lines.push(line);
    };
    const runner = new Runner({ onLine });
    const script = `process.stdout.write('é'.repeat(1_000_000), () => console.error('written')); setInterval(() => {}, 1000)`;
    const abort = new AbortController();
    const task = runner.task(process.execPath, ['-e', script], { name: 'a', signal: abort.signal });
    const ended = task.catch((error) => error);
    try {
      await until(
        () => lines.length >= 15 && isWritten,
        () => `${lines.length} lines, written: ${isWritten}`,
      );
    } finally {
      abort.abort();
      await ended;
    }
    expect(lines.join('')).toBe('é'.repeat(1_000_000));
    expect(Math.max(...lines.map(({ length }) => length))).toBe(64 * 1024);
  });

  it('rejects when the command does not exist', async () => {
    await expect(new Runner().task(path.join(scratch, 'none'), [])).rejects.toThrow('ENOENT');
  });
});

describe('the runner', () => {
  it('starts the stages in order, and ends them in reverse order on SIGINT', async () => {
    const runner = await startRunner([[{ name: 'a' }], [{ name: 'b' }, { name: 'c' }]]);
    await runner.seen(/READY/);
    runner.child.kill('SIGINT');
    expect(await runner.exited).toBe(0);
    const output = runner.output();
    expect(output).toMatch(/STAGE a\nSTAGE b,c\nREADY/);
    expect(output.indexOf('[b] drained')).toBeLessThan(output.indexOf('[a] drained'));
    await allGone([...runner.pids('a'), ...runner.pids('b'), ...runner.pids('c')]);
  });

  it('leaves no program running when it is killed', async () => {
    const runner = await startRunner([[{ name: 'a' }], [{ name: 'b' }]]);
    await runner.seen(/READY/);
    runner.child.kill('SIGKILL');
    await runner.exited;
    await allGone([...runner.pids('a'), ...runner.pids('b')]);
  });

  it('ends everything when the shell in which npm started it has ended', async () => {
    const runner = await startRunner([[{ name: 'a' }]], {}, true);
    await runner.seen(/READY/);
    runner.child.kill('SIGTERM');
    await runner.seen(/\[a\] drained/);
    await allGone(runner.pids('a'));
  });

  it('kills a program that does not end on SIGTERM', async () => {
    const runner = await startRunner([[{ name: 'a', env: { STUBBORN: '1' } }]]);
    await runner.seen(/READY/);
    runner.child.kill('SIGTERM');
    expect(await runner.exited).toBe(0);
    await allGone(runner.pids('a'));
  });

  it('fails when a program ends or does not become ready, and ends the other programs', async () => {
    const ended = await startRunner([[{ name: 'a' }], [{ name: 'b', env: { SILENT: '1', CRASH_AFTER: '50' } }]]);
    expect(await ended.exited).toBe(1);
    expect(ended.output()).toMatch(/ERROR b ended before it was ready \(7\)/);
    await allGone(ended.pids('a'));

    const silent = await startRunner([[{ name: 'a', env: { SILENT: '1' } }]], { readyMs: 300 });
    expect(await silent.exited).toBe(1);
    expect(silent.output()).toMatch(/ERROR a was not ready in 0.3 s/);
    await allGone(silent.pids('a'));
  });

  it('restarts a program that was killed, and reports the crash and the restart', async () => {
    const runner = await startRunner([[{ name: 'a' }, { name: 'b' }]], { restart: 'limited' });
    await runner.seen(/READY/);
    process.kill(runner.pids('a')[0], 'SIGKILL');
    await runner.seen(/TELL a ended unexpectedly \(SIGKILL\): starting it again in 100 ms\nTELL a is back after/);
    expect(runner.pids('a').length).toBe(2);
    expect(runner.pids('b').length).toBe(1);
    runner.child.kill('SIGINT');
    expect(await runner.exited).toBe(0);
    await allGone([...runner.pids('a'), ...runner.pids('b')]);
  });

  it('ends all programs when one crashes for the sixth time in 30 s', async () => {
    const runner = await startRunner([[{ name: 'a', env: { CRASH_AFTER: '20' } }, { name: 'b' }]], {
      restart: 'limited',
    });
    expect(await runner.exited).toBe(1);
    expect(runner.output()).toMatch(/TELL a ended unexpectedly \(7\), 6 times in 30 s: giving up, everything stops/);
    expect(runner.pids('a').length).toBe(6);
    await allGone([...runner.pids('a'), ...runner.pids('b')]);
  });

  it('restarts a crashing program without a limit when the option restart is always', async () => {
    const runner = await startRunner([[{ name: 'a', env: { CRASH_AFTER: '20' } }]], { restart: 'always' });
    await until(() => runner.pids('a').length > 6, runner.output);
    runner.child.kill('SIGINT');
    expect(await runner.exited).toBe(0);
    await allGone(runner.pids('a'));
  });

  it('ends everything when a program refuses its configuration with exit code 78', async () => {
    const runner = await startRunner([[{ name: 'a', env: { CRASH_AFTER: '20', CODE: '78' } }]], { restart: 'always' });
    expect(await runner.exited).toBe(1);
    expect(runner.pids('a').length).toBe(1);
  });
});
