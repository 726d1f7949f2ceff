import type { ChaosStack } from './stack';

/** One kill, and how long its victim took to come back. */
export interface Kill {
  victim: string;
  at: number;
  readyAt?: number;
}

const BACK_TIMEOUT_MS = 60_000;

/** Kills one random process after another, and waits for each to be back before the next. */
export class Killer {
  readonly kills: Kill[] = [];

  constructor(
    private readonly stack: ChaosStack,
    private readonly random: () => number,
  ) {}

  /** @param onKill gets each kill when its victim is back */
  async run(count: number, everyMs: number, onKill: (kill: Kill) => void): Promise<void> {
    for (let index = 0; index < count; index++) {
      await new Promise((resolve) => setTimeout(resolve, everyMs * (0.5 + this.random())));
      const kill = await this.killOne();
      this.kills.push(kill);
      onKill(kill);
    }
  }

  private async killOne(): Promise<Kill> {
    const victims = this.stack.victims();
    const victim = victims[Math.floor(this.random() * victims.length)] as string;
    const before = this.stack.processOf(victim);
    const kill: Kill = { victim, at: Date.now() };
    process.kill(before.pid, 'SIGKILL');
    const deadline = kill.at + BACK_TIMEOUT_MS;
    for (;;) {
      const now = this.stack.processOf(victim);
      if (now.pid !== before.pid && now.ready) {
        kill.readyAt = Date.now();
        return kill;
      }
      if (Date.now() > deadline) throw new Error(`${victim} was killed and did not come back in ${BACK_TIMEOUT_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
