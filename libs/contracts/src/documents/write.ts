import '../index';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedDocuments } from './documents';

const root = path.join(__dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

for (const [file, content] of generatedDocuments(version)) {
  writeFileSync(path.join(root, file), content);
  process.stdout.write(`${file}\n`);
}
