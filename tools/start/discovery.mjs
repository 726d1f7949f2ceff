/** `npm run discovery`: the catalog of VPN locations as a file, in and out; apps/discovery/src/catalog-import has the command itself. */
import './node-version.mjs';

const { spawn } = await import('node:child_process');
const path = await import('node:path');
const { databaseUrl } = await import('./environment.mjs');
const { built, prepareOnce } = await import('./install.mjs');
const { readSecrets } = await import('./secrets.mjs');
const { readStack } = await import('./stack-file.mjs');

const USAGE = `npm run discovery -- import FILE [--dry-run] [--yes] [--allow-removals]
npm run discovery -- export [FILE]

import   makes the catalog what FILE says, in one step: shows what changes, and asks. Replicas serve it within a second.
export   writes the catalog as such a file, or prints it (with npm run --silent: npm prints lines of its own before)

  --dry-run          only shows what changes
  --yes              does not ask; needed where there is no terminal
  --allow-removals   also when more than half of the locations or endpoints go

Works on the stack that npm start runs here. For another one: DATABASE_URL, as discovery has it.
`;

const ROLE = 'discovery';

/** The database of discovery, with its own role. */
function target() {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  return databaseUrl(readStack().postgres.url, ROLE, readSecrets().rolePasswords[ROLE]);
}

try {
  const [command, ...args] = process.argv.slice(2);
  if (command !== 'import' && command !== 'export') {
    console.error(USAGE);
    process.exitCode = ['--help', '-h'].includes(command) ? 0 : 2;
  } else {
    // npm runs this in the repository, and the file is named from where the person is.
    const cwd = path.resolve(process.env.INIT_CWD ?? '.');
    const env = { ...process.env, DATABASE_URL: target() };
    await prepareOnce();
    const program = built('apps/discovery/dist/catalog-command.js');
    const child = spawn(process.execPath, [program, command, ...args], { cwd, env, stdio: 'inherit' });
    process.exitCode = await new Promise((ended) => child.once('exit', (code) => ended(code ?? 1)));
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
