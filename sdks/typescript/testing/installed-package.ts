import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const ROOT = path.resolve(__dirname, '../../..');
const COMPILER = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const BUNDLER = path.join(ROOT, 'node_modules/rolldown/bin/cli.mjs');
/** The maximum size of an SDK in bytes, minified. */
export const MAX_BYTES = 30_000;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: object;
  readonly module: string;
  readonly bin?: Readonly<Record<string, string>>;
}

/** An SDK in a separate folder, as npm installs it: only the compiled, published files. */
export class InstalledPackage {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'sdk-'));
  readonly manifest: Manifest;
  private readonly home: string;

  /** @param lib the SDK's folder in `libs` */
  constructor(private readonly lib: string) {
    this.manifest = JSON.parse(readFileSync(path.join(ROOT, 'libs', lib, 'package.json'), 'utf8')) as Manifest;
    this.home = path.join(this.folder, 'node_modules', this.manifest.name);
  }

  install(): void {
    const projects = ['lib', 'esm'].map((kind) => `libs/${this.lib}/tsconfig.${kind}.json`);
    execFileSync(process.execPath, [path.join(ROOT, 'tools/stack/build.mjs'), ...projects], { cwd: ROOT });
    mkdirSync(this.home, { recursive: true });
    for (const part of ['package.json', 'bin', 'dist', 'esm']) {
      const source = path.join(ROOT, 'libs', this.lib, part);
      if (existsSync(source)) cpSync(source, path.join(this.home, part), { recursive: true });
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Returns the output of a program that imports the package. */
  outputOf(file: string, text: string): string {
    writeFileSync(path.join(this.folder, file), text);
    return execFileSync(process.execPath, [file], { cwd: this.folder, encoding: 'utf8' }).trim();
  }

  /** Returns the output of a command of the package. */
  run(command: string, ...args: readonly string[]): string {
    const file = path.join(this.home, this.manifest.bin?.[command] ?? '');
    return execFileSync(process.execPath, [file, ...args], { cwd: this.folder, encoding: 'utf8' }).trim();
  }

  /** Checks the types of a program and of the package strictly. @throws Error with the compiler's messages */
  compile(files: readonly string[], text: string, options: readonly string[]): void {
    for (const file of files) writeFileSync(path.join(this.folder, file), text);
    const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022'];
    try {
      execFileSync(process.execPath, [COMPILER, ...strict, ...options, ...files], {
        cwd: this.folder,
        encoding: 'utf8',
      });
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout);
    }
  }

  /** Returns the texts of the package's ES modules. */
  scripts(): string[] {
    const modules = path.join(this.home, 'esm/dist');
    const files = readdirSync(modules, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
    return files.map((file) => readFileSync(path.join(modules, file), 'utf8'));
  }

  /** Returns the names of other modules that the package imports. */
  imports(): string[] {
    const imports = this.scripts().flatMap((text) => [...text.matchAll(/\bfrom ['"]([^'"]+)['"]/g)]);
    return imports.map(([, name]) => name as string).filter((name) => !name.startsWith('.'));
  }

  /** Returns the minified size of the package in bytes. If the bundler is missing, returns an estimate: twice the size of the gzipped scripts. */
  size(): number {
    if (!existsSync(BUNDLER)) return 2 * gzipSync(this.scripts().join('\n')).length;
    const [entry, output] = [path.join(this.home, this.manifest.module), path.join(this.folder, 'min.js')];
    execFileSync(process.execPath, [BUNDLER, entry, '--minify', '--file', output], { cwd: this.folder });
    return readFileSync(output).length;
  }
}
