import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const GUIDE = path.resolve(__dirname, '../../../docs/partner-guide.md');
const CHECKOUT_URL = 'https://store.example.com/1';
const LONGEST_MS = 60_000;

/** What the program of the guide prints at its start when it runs unchanged. */
export const PRINTED = `${CHECKOUT_URL}\n`;

/**
 * Saves the partner guide's program that takes postbacks, with a free port. Runs the program against a platform that
 * answers every request with a checkout URL.
 *
 * @param language the language of the program's code block
 * @param command how to run the file in the folder
 * @returns the output of the program, which is ended after its first line, or after a minute without a line
 */
export async function runGuideProgram(
  language: 'ts' | 'python',
  { command, file, folder }: { command: string; file: string; folder: string },
): Promise<string> {
  writeFileSync(path.join(folder, file), programOf(language));
  const platform = createServer((_request, response) => response.end(JSON.stringify({ checkoutUrl: CHECKOUT_URL })));
  await once(platform.listen(0, '127.0.0.1'), 'listening');
  const { port } = platform.address() as AddressInfo;
  const env = {
    ...process.env,
    TANDEM_BASE_URL: `http://127.0.0.1:${port}`,
    TANDEM_TOKEN: 'ptk_test_x',
    POSTBACK_AUTHORIZATION: 'Bearer my-own-key',
    POSTBACK_SIGNING_SECRETS: `whsec_${Buffer.alloc(32).toString('base64')}`,
  };
  const child = spawn(command, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  try {
    let printed = '';
    // The output also ends when the program fails.
    for await (const chunk of child.stdout) {
      printed += String(chunk);
      if (printed.includes('\n')) child.kill('SIGKILL');
    }
    return printed;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    platform.closeAllConnections();
    platform.close();
  }
}

/**
 * Returns the guide's program that takes postbacks, with port 0 (any free port) in place of port 3000.
 *
 * @throws when the guide does not have exactly one such program in the language
 */
function programOf(language: string): string {
  const guide = readFileSync(GUIDE, 'utf8');
  const blocks = guide.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  const [program, ...others] = [...blocks].map(([, text = '']) => text).filter((text) => /\b3000\b/.test(text));
  if (program === undefined || others.length > 0) throw new Error(`the guide must have one program in ${language}`);
  return program.replace(/\b3000\b/, '0');
}
