import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const SAMPLES = path.resolve(__dirname, '../../../examples/verify-postback');

/** The sample endpoint of the partner guide in one language. */
interface Sample {
  /** The required program, and the arguments that show its version. */
  readonly tool: readonly [string, ...string[]];
  /** Builds the sample if necessary. Returns the command to run in the sample's folder. `scratch` is a folder for build output. */
  start(scratch: string): readonly [string, ...string[]];
}

const SAMPLE_OF: Readonly<Record<string, Sample>> = {
  node: { tool: ['node', '--version'], start: () => ['node', 'verify-postback.mjs'] },
  python: { tool: ['python3', '--version'], start: () => ['python3', 'verify_postback.py'] },
  php: { tool: ['php', '--version'], start: () => ['php', '-S', '127.0.0.1:0', 'verify-postback.php'] },
  go: {
    tool: ['go', 'version'],
    start: (scratch) => {
      const program = path.join(scratch, 'verify-postback');
      // The sample in Go uses only the standard library, so nothing is downloaded.
      const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
      execFileSync('go', ['build', '-o', program, '.'], { cwd: path.join(SAMPLES, 'go'), env });
      return [program];
    },
  },
};

const isInstalled = ({ tool: [name, ...args] }: Sample): boolean => spawnSync(name, args).status === 0;

/** The languages that are installed here, and those that are not. */
export const LANGUAGES = {
  installed: Object.keys(SAMPLE_OF).filter((name) => isInstalled(SAMPLE_OF[name] as Sample)),
  missing: Object.keys(SAMPLE_OF).filter((name) => !isInstalled(SAMPLE_OF[name] as Sample)),
};

/** The environment of a sample. */
export interface SampleSettings {
  POSTBACK_AUTHORIZATION?: string;
  POSTBACK_SIGNING_SECRETS?: string;
}

/** A sample in a separate process, as a partner would start it. */
export class SampleEndpoint {
  private constructor(
    private readonly child: ChildProcess,
    private readonly scratch: string,
    private readonly url: string,
  ) {}

  /** @throws when the sample exits before it listens */
  static async start(language: string, settings: SampleSettings): Promise<SampleEndpoint> {
    const scratch = mkdtempSync(path.join(tmpdir(), 'tandem-sample-'));
    const [command, ...args] = (SAMPLE_OF[language] as Sample).start(scratch);
    const child = spawn(command, args, {
      cwd: path.join(SAMPLES, language),
      env: { ...process.env, PORT: '0', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      return new SampleEndpoint(child, scratch, await urlOf(child));
    } catch (error) {
      rmSync(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  /** Posts a body with headers, and returns the status and the text of the answer. */
  async post(headers: Record<string, string>, body: string): Promise<{ status: number; text: string }> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: response.status, text: await response.text() };
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.scratch, { recursive: true, force: true });
  }
}

/** Returns the address that a program prints once it listens. */
function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (url) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`the sample exited with ${code}: ${output}`)));
  });
}
