import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@tandem/testing';
import { SITES } from '../../../apps/apps';
import { freePorts } from '../../ports/free-ports';
import { PUBLIC_APPS } from '../src/config';
import { nginxConfig } from '../src/nginx/nginx-config';
import { openApp, type StandIn } from './edge-under-test';

/** The nginx program. Debian installs it outside the PATH of ordinary users. */
const NGINX = ['nginx', '/usr/sbin/nginx'].find((program) => spawnSync(program, ['-v']).status === 0);

/** `describe`; where nginx is not installed, `describe.skip` with a warning. */
export const describeNginx: typeof describe = NGINX ? describe : (describe.skip as typeof describe);
if (!NGINX) console.warn('THE PROXY WAS NOT RUN: nginx is not installed. Its tests are skipped.');

/**
 * Returns the output of `nginx -t` for a configuration; empty when it is valid.
 *
 * @param settings the content of settings.conf, which only the configuration of the console includes
 */
export function problemsOf(config: string, settings = ''): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tandem-nginx-'));
  try {
    const file = path.join(folder, 'nginx.conf');
    writeFileSync(file, config.replaceAll(' /tmp', ` ${folder}`));
    writeFileSync(path.join(folder, 'settings.conf'), settings);
    const { status, stderr } = spawnSync(NGINX as string, ['-t', '-c', file, '-p', folder], { encoding: 'utf8' });
    return status === 0 ? '' : stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface RunningNginx {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts nginx on a free port, and waits until it answers.
 *
 * @param configOf returns the configuration for a port and for the only folder to which nginx may write
 * @param settings the content of settings.conf, which only the configuration of the console includes
 */
export async function startNginx(
  configOf: (port: number, folder: string) => string,
  settings = '',
): Promise<RunningNginx> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tandem-nginx-'));
  const [port = 0] = await freePorts(1);
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, configOf(port, folder));
  writeFileSync(path.join(folder, 'settings.conf'), settings);
  // When root starts nginx, its workers run as another user, who must be able to read the folder.
  chmodSync(folder, 0o755);
  const nginx: ChildProcess = spawn(NGINX as string, ['-c', file, '-p', folder, '-g', 'daemon off;'], {
    stdio: 'inherit',
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(url)).status).toBe(404));
  return {
    url,
    stop: async () => {
      const ended = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** nginx with the generated configuration in front of stand-ins for apps, for the tests of a file. */
export class NginxUnderTest {
  gateway!: StandIn;
  ingest!: StandIn;
  url!: string;
  private nginx!: RunningNginx;

  /** Registers the start and the stop of nginx with Jest. */
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
    const hostOf = ({ url }: StandIn): string => new URL(url).host;
    const upstreams = Object.fromEntries([...PUBLIC_APPS, ...SITES].map(({ name }) => [name, hostOf(this.gateway)]));
    const own = { 'webhook-ingest': hostOf(this.ingest) };
    this.nginx = await startNginx((port, folder) => nginxConfig({ port, upstreams: { ...upstreams, ...own }, folder }));
    this.url = this.nginx.url;
  }

  private async stop(): Promise<void> {
    await this.nginx.stop();
    await Promise.all([this.gateway.close(), this.ingest.close()]);
  }
}
