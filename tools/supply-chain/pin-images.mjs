/**
 * `npm run pin-images` appends the current digest to the tag of each third-party image in each Dockerfile, docker-compose.yml and k8s/.
 * A tag can later name another image; a digest cannot.
 */
import '../stack/node-version.mjs';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { SITES } from '../../apps/apps.js';
import { ROOT } from '../stack/paths.mjs';
import { imagesIn, withDigests } from './image-references.mjs';

const USAGE = `npm run pin-images [-- --check | --unpin]

Gets the digests from the registries with \`docker buildx imagetools inspect\`, which pulls no image.
  --check   changes nothing, and fails when an image is not pinned
  --unpin   removes the digests
  --root    the folder of the files (default: this repository)
`;

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    unpin: { type: 'boolean', default: false },
    root: { type: 'string', default: ROOT },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(USAGE);
else if (values.check) check();
else rewrite();

function check() {
  const loose = files().flatMap((file) =>
    imagesIn(fs.readFileSync(file, 'utf8'))
      .filter(({ pinned }) => !pinned)
      .map(({ image }) => `${shown(file)}: ${image}`),
  );
  for (const line of loose) console.log(line);
  if (loose.length > 0) process.exitCode = 1;
}

function rewrite() {
  /** @type {Map<string, string>} */
  const digests = new Map();
  const digestOf = (image) => {
    if (values.unpin) return null;
    if (!digests.has(image)) digests.set(image, inspect(image));
    return digests.get(image);
  };
  for (const file of files()) {
    const text = fs.readFileSync(file, 'utf8');
    const pinned = withDigests(text, digestOf);
    if (pinned === text) continue;
    fs.writeFileSync(file, pinned);
    console.log(shown(file));
  }
}

/** Returns the digest of an image. @throws when the registry does not have the image, or cannot be reached */
function inspect(image) {
  const args = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  const digest = execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${image}: docker answered "${digest}"`);
  return digest;
}

function files() {
  const images = SITES.map(({ name }) => `apps/${name}/image/Dockerfile`);
  const single = ['Dockerfile', ...images, 'docker-compose.yml'].map((name) => path.join(values.root, name));
  const folder = path.join(values.root, 'k8s');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const manifests = names.filter((name) => /\.ya?ml$/.test(name)).map((name) => path.join(folder, name));
  return [...single, ...manifests].filter((file) => fs.existsSync(file));
}

function shown(file) {
  return path.relative(values.root, file);
}
