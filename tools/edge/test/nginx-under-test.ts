import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@tandem/testing';
import { PUBLIC_APPS } from '../src/config';
import { nginxConfig } from '../src/nginx/nginx-config';
import { openApp, type StandIn } from './edge-under-test';

/** Debian installs it outside of the users' PATH. */
const NGINX = ['nginx', '/usr/sbin/nginx'].find((program) => spawnSync(program, ['-v']).status === 0);

/** `describe`, or a skipped one with a warning where nginx is not installed. */
export const describeNginx: typeof describe = NGINX ? describe : (describe.skip as typeof describe);
if (!NGINX) console.warn('THE PROXY WAS NOT RUN: nginx is not installed. Its tests are skipped.');

/** The output of `nginx -t` for a configuration; empty when it is valid. */
export function problemsOf(config: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tandem-nginx-'));
  try {
    const file = path.join(folder, 'nginx.conf');
    writeFileSync(file, config.replaceAll(' /tmp', ` ${folder}`));
    const { status, stderr } = spawnSync(NGINX as string, ['-t', '-c', file, '-p', folder], { encoding: 'utf8' });
    return status === 0 ? '' : stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** nginx with the generated configuration in front of stand-ins for apps, for the tests of a file. */
export class NginxUnderTest {
  gateway!: StandIn;
  ingest!: StandIn;
  url!: string;
  private process!: ChildProcess;
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'tandem-nginx-'));

  /** Registers start and stop with Jest. */
  constructor() {
    beforeAll(() => this.start());
    afterAll(() => this.stop());
    afterEach(() => {
      this.gateway.answer.handle = undefined;
      this.ingest.answer.handle = undefined;
    });
  }

  private async start(): Promise<void> {
    [this.gateway, this.ingest] = await Promise.all([openApp('partner-gateway'), openApp('webhook-ingest')]);
    const port = await freePort();
    const hostOf = ({ url }: StandIn): string => new URL(url).host;
    const upstreams = Object.fromEntries(PUBLIC_APPS.map(({ name }) => [name, hostOf(this.gateway)]));
    const own = { 'webhook-ingest': hostOf(this.ingest) };
    const config = nginxConfig({ port, upstreams: { ...upstreams, ...own }, folder: this.folder });
    const file = path.join(this.folder, 'nginx.conf');
    writeFileSync(file, config);
    // When started by root, nginx runs its workers as another user.
    chmodSync(this.folder, 0o755);
    this.process = spawn(NGINX as string, ['-c', file, '-p', this.folder, '-g', 'daemon off;'], { stdio: 'inherit' });
    this.url = `http://127.0.0.1:${port}`;
    await eventually(async () => expect((await fetch(this.url)).status).toBe(404));
  }

  private async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await ended;
    await Promise.all([this.gateway.close(), this.ingest.close()]);
    rmSync(this.folder, { recursive: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
