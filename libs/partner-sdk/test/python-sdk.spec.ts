import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { runWell } from '@tandem/testing';
import { BEHAVIOURS, HANDLERS, SIGNATURES } from './behaviours';
import { PRINTED, runGuideProgram } from './guide-program';
import { manyPostbacks } from './many-postbacks';

jest.setTimeout(600_000);

const SDK = path.resolve(__dirname, '../../../sdks/python');
/** The exit status of a check: 0 if `python3` has a supported version and can create virtual environments. */
const pythonStatus = spawnSync('python3', [
  '-c',
  'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))',
]).status;
const describePython = pythonStatus === 0 ? describe : describe.skip;

/** The code of a shop. */
const SHOP = `
from tandem_partner import AsyncPostbackHandler, MemoryStore, PostbackHandler, Tandem, VerifiedPostback


def oids(tandem: Tandem) -> list[str]:
    return [sale["oid"] for sale in tandem.sales.list(status="held")]


async def book(verified: VerifiedPostback) -> None:
    print(verified.sale["oid"])


class Ids:
    def is_handled(self, webhook_id: str) -> bool:
        return False


handlers = (
    PostbackHandler(secrets="whsec_", store=Ids(), on_sale=lambda verified: print(verified.sale["oid"])),
    AsyncPostbackHandler(secrets=["whsec_"], store=MemoryStore(), on_sale=book),
)
`;

/** Builds the wheel, installs it as a shop does, in an environment of its own, and runs the tests there. */
describePython('the wheel of the client in Python', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tandem-partner-python-'));
  const environment = path.join(folder, 'venv');
  const bin = path.join(environment, process.platform === 'win32' ? 'Scripts' : 'bin');
  const python = path.join(bin, 'python');
  const pip = ['-m', 'pip', '-q', '--disable-pip-version-check'];
  beforeAll(async () => {
    await runWell('python3', ['-m', 'venv', environment], SDK);
    await runWell(python, [...pip, 'wheel', '--no-deps', '-w', folder, SDK], folder);
    const [wheel = 'no wheel'] = readdirSync(folder).filter((file) => file.endsWith('.whl'));
    await runWell(python, [...pip, 'install', `${path.join(folder, wheel)}[test]`], folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('behaves as sdks/behaviours requires of a partner SDK, synchronously and with asyncio', async () => {
    const many = path.join(folder, 'many-postbacks.json');
    writeFileSync(many, JSON.stringify(manyPostbacks(10_000, Date.now() % 1_000_000, Math.floor(Date.now() / 1000))));
    // Runs the command `pytest`, because `python -m pytest` would import the sources in the current folder.
    const tests = promisify(execFile)(path.join(bin, 'pytest'), ['--color=no'], {
      cwd: SDK,
      env: { ...process.env, MANY_POSTBACKS: many, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const { stdout } = await tests.catch((error: { stdout: string }) => error);
    const [, passed] = /(\d+) passed in/.exec(stdout) ?? [];
    expect(stdout).not.toMatch(/failed|skipped|warning|error/i);
    expect(Number(passed)).toBeGreaterThan(2 * (BEHAVIOURS.length + HANDLERS.length) + SIGNATURES.cases.length);
  });

  it('passes a strict check of its types, and so does the code of a shop that uses it', async () => {
    const mypy = ['-m', 'mypy', '--strict', '--cache-dir', path.join(folder, 'mypy-cache')];
    expect(await runWell(python, mypy, SDK)).toMatch(/no issues found/);
    writeFileSync(path.join(folder, 'shop.py'), SHOP);
    expect(await runWell(python, [...mypy, 'shop.py'], folder)).toMatch(/no issues found/);
  });

  it('has a program in the partner guide that Python runs unchanged', async () => {
    expect(await runGuideProgram('python', { command: python, file: 'app.py', folder })).toBe(PRINTED);
  });

  it('has the version of the SDK in TypeScript', () => {
    const { version } = JSON.parse(readFileSync(path.join(__dirname, '../package.json'), 'utf8')) as {
      version: string;
    };
    expect(readFileSync(path.join(SDK, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
  });
});
