import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';

export const ROOT = path.resolve(__dirname, '../../../..');
const MAX_BYTES = 64 * 1024 * 1024;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- an object of any kind; its schema is one of the checks
export type KubeObject = any;

/** The programs that can render an overlay, in order of preference. Go downloads its program from the module proxy. */
const RENDERERS: readonly (readonly string[])[] = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
  ['go', 'run', 'sigs.k8s.io/kustomize/kustomize/v5@v5.7.1', 'build'],
];

/** The smallest folder of manifests, which each program must be able to render. */
const PROBE = path.join(ROOT, 'k8s/base/namespace');

const run = ([program, ...args]: readonly string[], folder: string) =>
  spawnSync(program as string, [...args, folder], { encoding: 'utf8', maxBuffer: MAX_BYTES });

/** The program that renders manifests on this machine; undefined if there is none. */
export const renderer: readonly string[] | undefined = RENDERERS.find((command) => run(command, PROBE).status === 0);

/** `describe`, or `describe.skip` with a warning where no program can render manifests. */
export const describeRendered: typeof describe = renderer ? describe : (describe.skip as typeof describe);
if (!renderer)
  console.warn('THE MANIFESTS WERE NOT RENDERED: neither kustomize, kubectl nor go is here. Their tests are skipped.');

const rendered = new Map<string, readonly KubeObject[]>();

/**
 * Returns the objects that `kubectl apply -k` would send.
 * @param folder relative to the root of the repository, or absolute
 */
export function render(folder: string): KubeObject[] {
  const known = rendered.get(folder);
  if (known) return structuredClone(known) as KubeObject[];
  const { status, stdout, stderr } = run(renderer as readonly string[], path.resolve(ROOT, folder));
  if (status !== 0) throw new Error(`${folder} cannot be rendered: ${stderr}`);
  const objects = parseAllDocuments(stdout).map((document): KubeObject => document.toJSON());
  rendered.set(folder, objects);
  return structuredClone(objects);
}

/**
 * Returns the objects of an overlay as they are after a change of one file.
 * @param folder relative to the root of the repository
 * @param file relative to `folder`
 */
export function renderChanged(folder: string, file: string, change: (text: string) => string): KubeObject[] {
  const copy = mkdtempSync(path.join(tmpdir(), 'tandem-k8s-'));
  try {
    cpSync(path.join(ROOT, 'k8s'), path.join(copy, 'k8s'), { recursive: true });
    const changed = path.join(copy, folder, file);
    writeFileSync(changed, change(readFileSync(changed, 'utf8')));
    return render(path.join(copy, folder));
  } finally {
    rmSync(copy, { recursive: true });
  }
}
