import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Kill } from '../killer';

const run = promisify(execFile);
const BACK_TIMEOUT_MS = 180_000;
const LOOK_MS = 200;

/** A container as `docker compose ps` reports it. */
interface Row {
  readonly Name: string;
  readonly Service: string;
  readonly Health: string;
  readonly State: string;
}

/** The containers of a running compose project on this machine. */
export class Containers {
  private async rows(): Promise<Row[]> {
    const { stdout } = await run('docker', ['compose', 'ps', '--format', 'json']);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  }

  /** Returns the names of the running services. */
  async services(): Promise<string[]> {
    return (await this.rows()).filter(({ State }) => State === 'running').map(({ Service }) => Service);
  }

  /**
   * Kills a service's container with SIGKILL, starts it again, and waits until it is healthy.
   * @throws when the service does not run, or its container is not healthy again within 3 minutes
   */
  async kill(service: string): Promise<Kill> {
    const row = (await this.rows()).find(({ Service }) => Service === service);
    if (!row) throw new Error(`${service} does not run`);
    const at = Date.now();
    await run('docker', ['kill', '--signal', 'KILL', row.Name]);
    // Docker does not restart a container that a command has killed.
    await run('docker', ['start', row.Name]);
    while ((await this.rows()).find(({ Service }) => Service === service)?.Health !== 'healthy') {
      if (Date.now() - at > BACK_TIMEOUT_MS) throw new Error(`${service} was killed and did not become healthy again`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return { victim: service, at, readyAt: Date.now() };
  }
}
