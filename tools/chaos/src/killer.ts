/** The state of a process of the stack. While the process is not ready, the pid may be that of an ended process. */
export interface ProcessState {
  pid: number;
  ready: boolean;
}

/** The functions of a stack that the killer needs. The stack must restart its processes. */
export interface KillableStack {
  /** Returns the names of the processes that may be killed. */
  victims(): string[];
  processOf(name: string): ProcessState;
}

/** A kill, with the times when the victim was killed and when it was ready again. */
export interface Kill {
  victim: string;
  at: number;
  readyAt: number;
}

const BACK_TIMEOUT_MS = 60_000;
const LOOK_MS = 20;

/**
 * Kills random processes, one after the other. Before each kill, waits until the previous victim is ready again. Also
 * waits until the next victim is ready, because it may just have crashed on its own.
 */
export class Killer {
  readonly kills: Kill[] = [];

  constructor(
    private readonly stack: KillableStack,
    private readonly random: () => number,
    /** The names of the processes that may be killed; null: all. */
    private readonly only: readonly string[] | null = null,
  ) {}

  /**
   * Kills `count` processes.
   * @param everyMs the mean pause before a kill
   * @param onKill receives each kill once its victim is ready again
   * @throws Error when a victim does not become ready within a minute, before its kill or after it; or when no process
   *   has one of the names
   */
  async run(count: number, everyMs: number, onKill: (kill: Kill) => void): Promise<void> {
    for (let index = 0; index < count; index++) {
      await new Promise((resolve) => setTimeout(resolve, everyMs * (0.5 + this.random())));
      const kill = await this.killOne();
      this.kills.push(kill);
      onKill(kill);
    }
  }

  private async killOne(): Promise<Kill> {
    const victims = this.stack.victims().filter((name) => this.only?.includes(name) ?? true);
    if (victims.length === 0) throw new Error(`no process is named ${this.only?.join(' or ')}`);
    const victim = victims[Math.floor(this.random() * victims.length)] as string;
    let killed = -1;
    await this.until(victim, 'was not ready to be killed', ({ pid, ready }) => {
      if (ready && tryKill(pid)) killed = pid;
      return killed >= 0;
    });
    const at = Date.now();
    await this.until(victim, 'was killed and not ready again', ({ pid, ready }) => pid !== killed && ready);
    return { victim, at, readyAt: Date.now() };
  }

  /** Waits until the victim has the wanted state. @throws when this takes longer than a minute */
  private async until(victim: string, failure: string, isReached: (state: ProcessState) => boolean): Promise<void> {
    const deadline = Date.now() + BACK_TIMEOUT_MS;
    while (!isReached(this.stack.processOf(victim))) {
      if (Date.now() > deadline) throw new Error(`${victim} ${failure} in ${BACK_TIMEOUT_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** Sends SIGKILL. @returns false if the process has already ended */
function tryKill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
