import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as prettier from 'prettier';
import { stringify } from 'yaml';
import { GENERATED_FILES, type GeneratedFile } from './files';

const ROOT = path.resolve(__dirname, '../../../..');

/** `npm run k8s` generates manifests from the topology and from the table of apps. */
async function main(): Promise<void> {
  for (const file of GENERATED_FILES) {
    const target = path.join(ROOT, file.path);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(
      target,
      await prettier.format(textOf(file), { ...(await prettier.resolveConfig(target)), parser: 'yaml' }),
    );
    console.log(file.path);
  }
}

function textOf({ from, objects }: GeneratedFile): string {
  const documents = objects().map((object) => stringify(object, { aliasDuplicateObjects: false }));
  return `# Written by npm run k8s, from ${from}.\n${documents.join('---\n')}`;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
