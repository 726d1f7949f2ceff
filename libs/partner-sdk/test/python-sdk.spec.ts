import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { BEHAVIOURS, SIGNATURES } from './behaviours';

jest.setTimeout(360_000);

const SDK = path.resolve(__dirname, '../../../sdks/python');
/** The exit status is 0 where a supported Python can create virtual environments. */
const pythonStatus = spawnSync('python3', [
  '-c',
  'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))',
]).status;
const describePython = pythonStatus === 0 ? describe : describe.skip;

/** Returns the output of a program. @throws with the whole output when the program fails */
async function runWell(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${command} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
}

/** Installs the package as a shop does, in an environment of its own, and runs its tests there. */
describePython('the client in Python', () => {
  const environment = mkdtempSync(path.join(tmpdir(), 'tandem-partner-python-'));
  const python = path.join(environment, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  beforeAll(async () => {
    await runWell('python3', ['-m', 'venv', environment], SDK);
    await runWell(python, ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', `${SDK}[test]`], SDK);
  });
  afterAll(() => rmSync(environment, { recursive: true, force: true }));

  it('behaves as the list of behaviours requires, synchronously and with asyncio', async () => {
    const output = await runWell(python, ['-B', '-m', 'pytest', '--color=no'], SDK);
    const [, passed] = /(\d+) passed in/.exec(output) ?? [];
    expect(Number(passed)).toBeGreaterThan(2 * BEHAVIOURS.length + SIGNATURES.cases.length);
    expect(output).not.toMatch(/failed|skipped|warning/);
  });

  it('is installed with its types, which are checked strictly', async () => {
    const cache = path.join(environment, 'mypy-cache');
    expect(await runWell(python, ['-m', 'mypy', '--cache-dir', cache], SDK)).toMatch(/no issues found/);
    const where = [
      '-c',
      'import tandem_partner as t, pathlib; print([str(p) for p in pathlib.Path(t.__file__).parent.iterdir()])',
    ];
    expect(await runWell(python, where, environment)).toContain('py.typed');
  });

  it('has the version of the SDK in TypeScript', () => {
    const { version } = JSON.parse(readFileSync(path.join(__dirname, '../package.json'), 'utf8')) as {
      version: string;
    };
    expect(readFileSync(path.join(SDK, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
  });
});
