import { readFileSync } from 'node:fs';
import type { Samples } from './samples';

type SdkSamples = Pick<Samples, 'typescript' | 'python'>;

/** Returns the samples that use an SDK, by operation id. They are regions of `partner.ts`, which the compiler checks, and of `partner.py`. */
export function sdkSamples(folder: string): ReadonlyMap<string, SdkSamples> {
  const typescript = regionsOf(readFileSync(`${folder}/partner.ts`, 'utf8'));
  const python = regionsOf(readFileSync(`${folder}/partner.py`, 'utf8'));
  const head = {
    typescript: `import { Tandem } from '@tandem/partner';\n\n${typescript.get('client')}`,
    python: python.get('client'),
  };
  return new Map(
    [...typescript]
      .filter(([name]) => name !== 'client')
      .map(([name, text]) => [
        name,
        { typescript: `${head.typescript}\n${text}`, python: `${head.python}\n${python.get(name)}` },
      ]),
  );
}

/** Returns the regions of a file by their names. The indentation of the region's mark is removed from each line. */
function regionsOf(text: string): Map<string, string> {
  const regions = text.matchAll(/^( *)(?:\/\/ #|# )region (\w+)\n([^]*?)\n *(?:\/\/ #|# )endregion$/gm);
  return new Map(
    [...regions].map(([, indent = '', name = '', body = '']) => [
      name,
      body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    ]),
  );
}
