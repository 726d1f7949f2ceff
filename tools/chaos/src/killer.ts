/** A process of the stack. While it is not ready, the pid may belong to a process that has ended. */
export interface ProcessState {
  pid: number;
  ready: boolean;
}

/** What the killer needs from a stack that restarts its processes. */
export interface KillableStack {
  /** Returns the names of the processes that may be killed. */
  victims(): string[];
  processOf(name: string): ProcessState;
}

/** A kill, with the time that its victim took to be back. */
export interface Kill {
  victim: string;
  at: number;
  readyAt: number;
}

const BACK_TIMEOUT_MS = 60_000;
const LOOK_MS = 20;

/**
 * Kills random processes one after the other. It waits until each process is back before the next kill, even if the next victim has
 * just crashed by itself.
 */
export class Killer {
  readonly kills: Kill[] = [];

  constructor(
    private readonly stack: KillableStack,
    private readonly random: () => number,
    /** Names of the processes that may be killed; null: all. */
    private readonly only: readonly string[] | null = null,
  ) {}

  /**
   * @param onKill receives each kill once its victim is back
   * @throws Error when a victim is not back within a minute, or no process has one of the names
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
    await this.until(victim, 'was killed and not back', ({ pid, ready }) => pid !== killed && ready);
    return { victim, at, readyAt: Date.now() };
  }

  /** @throws when the process is not in the wanted state in time */
  private async until(victim: string, failure: string, isReached: (state: ProcessState) => boolean): Promise<void> {
    const deadline = Date.now() + BACK_TIMEOUT_MS;
    while (!isReached(this.stack.processOf(victim))) {
      if (Date.now() > deadline) throw new Error(`${victim} ${failure} in ${BACK_TIMEOUT_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** @returns false for a process that has already ended, as some do when their server was killed */
function tryKill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
