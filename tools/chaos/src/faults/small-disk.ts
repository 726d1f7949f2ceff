import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';

const BALLAST = 'ballast';

/**
 * The variable that is set for a process in a separate mount namespace. When the namespace ends, all file systems that
 * this process has mounted are unmounted.
 */
export const IN_NAMESPACE = 'TANDEM_CHAOS_NAMESPACE';

/** Returns whether this machine can give a server a separate file system: this needs Linux, root and `unshare`. */
export const canMount = (): boolean =>
  process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

/** A file system in memory for the data of one server. It is small, so that it can be filled. */
export class SmallDisk {
  constructor(readonly folder: string) {}

  /**
   * Mounts a small file system on a folder. The mount ends with the namespace.
   * @param megabytes the size of the file system
   */
  static mount(folder: string, megabytes: number): SmallDisk {
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
    return new SmallDisk(folder);
  }

  /** Fills all the space that is left. */
  fill(): void {
    const file = openSync(path.join(this.folder, BALLAST), 'w');
    try {
      for (const size of [1 << 20, 1 << 12]) writeUntilFull(file, Buffer.alloc(size));
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(path.join(this.folder, BALLAST), { force: true });
  }

  /** Removes the file system with all its data, so that the folder can be removed. */
  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
  }
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
