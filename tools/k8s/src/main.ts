import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedFiles } from './files';

const ROOT = path.resolve(__dirname, '../../..');

/** `npm run k8s`: writes the manifests that follow from the topology and from the table of apps. */
async function main(): Promise<void> {
  for (const [file, text] of await generatedFiles()) {
    mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true });
    writeFileSync(path.join(ROOT, file), text);
    console.log(file);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
