import '../index';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedDocuments } from './documents';

const root = path.join(__dirname, '../..');
const readJson = (file: string): Record<string, string> => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

function write(file: string, content: string): void {
  writeFileSync(path.join(root, file), content);
  process.stdout.write(`${file}\n`);
}

/**
 * Adds the checksums of new samples. Keeps existing checksums, because a sample never changes once it is checked in.
 */
function writeChecksums(): void {
  const known = readJson('samples/checksums.json');
  const files = readdirSync(path.join(root, 'samples')).filter((file) => file !== 'checksums.json');
  const sums = files.map((file) => [
    file,
    known[file] ??
      createHash('sha256')
        .update(readFileSync(path.join(root, 'samples', file)))
        .digest('hex'),
  ]);
  const all = Object.entries({ ...known, ...Object.fromEntries(sums) }).sort(([a], [b]) => (a < b ? -1 : 1));
  write('samples/checksums.json', `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

for (const [file, content] of generatedDocuments(String(readJson('package.json').version))) write(file, content);
writeChecksums();
