import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runWell } from '@tandem/testing';

const WORKSPACE = path.resolve(__dirname, '../../..');
const FOLDER = 'libs/partner-sdk';
const PACKED = ['README.md', 'LICENSE', 'package.json', 'bin', 'src', 'esm/package.json'];
const SHARED = ['tsconfig.base.json', 'docs/openapi/partner-api.json', 'sdks/typescript'];

/** A copy of the package in its own folder, so that packing does not remove what other tests use. */
export class SdkCopy {
  private readonly root = mkdtempSync(path.join(tmpdir(), 'partner-sdk-'));
  private readonly folder = path.join(this.root, FOLDER);

  constructor() {
    const files = [...PACKED, 'tsconfig.lib.json', 'tsconfig.esm.json'].map((name) => path.join(FOLDER, name));
    for (const file of [...files, ...SHARED])
      cpSync(path.join(WORKSPACE, file), path.join(this.root, file), { recursive: true });
    symlinkSync(path.join(WORKSPACE, 'node_modules'), path.join(this.root, 'node_modules'));
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.folder, file)), { recursive: true });
    writeFileSync(path.join(this.folder, file), text);
  }

  /** `npm pack`. @returns the tarball's path */
  async pack(name: string): Promise<string> {
    const folder = path.join(this.root, name);
    mkdirSync(folder);
    const output = await runWell('npm', ['pack', '--silent', '--pack-destination', folder], this.folder);
    return path.join(folder, (/^\S+\.tgz$/m.exec(output) as RegExpExecArray)[0]);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
