import 'reflect-metadata';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedDocuments } from './documents';

const ROOT = path.join(__dirname, '../../../..');

async function main(): Promise<void> {
  for (const [file, content] of await generatedDocuments()) {
    mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
    writeFileSync(path.join(ROOT, file), content);
    process.stdout.write(`${file}\n`);
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
