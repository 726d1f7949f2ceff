/**
 * `npm run sbom [-- NAME …]` writes the npm packages of each image to sbom/<name>.cdx.json, as CycloneDX 1.5. The images are those of the apps, the
 * sites and the sandbox. The packages of a site are bundled when its image is built, so its list includes the bundler. npm reads package-lock.json:
 * nothing needs to be installed.
 *
 * Node and Debian's libraries are not listed. Scanners find the libraries in the image (in /var/lib/dpkg/status.d of the images of the apps and the
 * sandbox).
 */
import '../stack/node-version.mjs';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { APPS, SITES } from '../../apps/apps.js';
import { inRoot, readJson, ROOT } from '../stack/paths.mjs';

const BUNDLED = SITES.map(({ name }) => name);
const FOLDERS = Object.fromEntries([
  ...[...APPS, ...SITES].map(({ name }) => [name, `apps/${name}`]),
  ['sandbox', 'tools/sandbox'],
]);
const ARGS = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in FOLDERS));
if (unknown.length > 0) {
  console.error(`there is no image ${unknown.join(', ')}; there are ${Object.keys(FOLDERS).join(', ')}`);
  process.exit(2);
}
fs.mkdirSync(inRoot('sbom'), { recursive: true });
for (const name of wanted.length > 0 ? wanted : Object.keys(FOLDERS)) {
  const file = `sbom/${name}.cdx.json`;
  const bom = bomOf(name);
  fs.writeFileSync(inRoot(file), `${JSON.stringify(bom, null, 2)}\n`);
  console.log(`${file}: ${bom.components.length} components`);
}

/** Returns the bill of materials of an image. npm names the whole workspace as the subject; the image replaces this subject. */
function bomOf(name) {
  const folder = FOLDERS[name];
  const omitted = BUNDLED.includes(name) ? [] : ['--omit=dev'];
  const out = execFileSync('npm', ['sbom', '--workspace', folder, ...omitted, ...ARGS], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  const bom = JSON.parse(out);
  const { name: component, version } = readJson(inRoot(folder, 'package.json'));
  const subject = bom.components.find((one) => one.purl === `pkg:npm/${component.replace('@', '%40')}@${version}`);
  if (!subject) throw new Error(`npm sbom has no component ${component}@${version}`);
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...subject, type: 'container', name: `tandem/${name}` } },
    components: bom.components.filter((one) => one !== subject),
  };
}
