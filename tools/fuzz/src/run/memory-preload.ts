import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loaded into each process of the stack before its own code. At SIGUSR2 the process collects its garbage and writes what memory it still
 * uses to a file, so that a sample does not depend on when V8 collects. Does nothing without the variable FUZZ_MEMORY_DIR.
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
