import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Killer, type KillableStack, type ProcessState } from './killer';

const PAUSE_MS = 100;

/** A program that is restarted whenever it has ended. Until it is restarted, `pid` is that of the ended process. */
class RestartedProgram implements KillableStack {
  private child!: ChildProcess;
  private state!: ProcessState;
  private restart?: NodeJS.Timeout;

  constructor() {
    this.launch();
  }

  victims(): string[] {
    return ['program'];
  }

  processOf(): ProcessState {
    return this.state;
  }

  async crash(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }

  end(): void {
    clearTimeout(this.restart);
    this.child.removeAllListeners('exit').kill('SIGKILL');
  }

  private launch(): void {
    this.child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    this.state = { pid: this.child.pid as number, ready: true };
    this.child.once('exit', () => {
      this.state = { ...this.state, ready: false };
      this.restart = setTimeout(() => this.launch(), PAUSE_MS);
    });
  }
}

describe('Killer', () => {
  it('throws when no process has one of the given names', async () => {
    const program = new RestartedProgram();
    try {
      const killer = new Killer(program, () => 0, ['postgres', 'kafka']);
      await expect(killer.run(1, 0, () => undefined)).rejects.toThrow('no process is named postgres or kafka');
    } finally {
      program.end();
    }
  });

  it('waits until a program that has just crashed runs again before it kills the program', async () => {
    const program = new RestartedProgram();
    await program.crash();
    const killer = new Killer(program, () => 0);
    try {
      await killer.run(1, 1, () => undefined);
    } finally {
      program.end();
    }
    expect(killer.kills).toEqual([{ victim: 'program', at: expect.any(Number), readyAt: expect.any(Number) }]);
  });
});
