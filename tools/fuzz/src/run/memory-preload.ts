import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The folder for samples of the memory. If the variable FUZZ_MEMORY_DIR is not set, this file does nothing.
 *
 * Each Node process of the stack loads this file before the program's own code. At SIGUSR2, the process collects its
 * garbage, and then writes its memory use to a file in the folder. So a sample does not depend on when V8 collects
 * garbage.
 */
const folder = process.env.FUZZ_MEMORY_DIR;

if (folder) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on('SIGUSR2', () => {
    collect();
    writeFileSync(path.join(folder, `${process.pid}.json`), JSON.stringify(process.memoryUsage()));
  });
}
