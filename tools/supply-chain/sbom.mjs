/**
 * `npm run sbom [-- NAME …]` writes the npm packages of each image as CycloneDX 1.5 to sbom/<name>.cdx.json. The images are those of the
 * apps and the sandbox. npm reads package-lock.json, so nothing needs to be installed. The file does not list Node and Debian's
 * libraries: each image lists its libraries in /var/lib/dpkg/status.d, which scanners read.
 */
import '../stack/node-version.mjs';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { APPS } from '../../apps/apps.js';
import { inRoot, readJson, ROOT } from '../stack/paths.mjs';

const FOLDERS = Object.fromEntries([...APPS.map(({ name }) => [name, `apps/${name}`]), ['sandbox', 'tools/sandbox']]);
const ARGS = ['--omit=dev', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];

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

/** Returns the bill of materials of an image. npm names the whole workspace as the subject; here the subject is the image. */
function bomOf(name) {
  const folder = FOLDERS[name];
  const out = execFileSync('npm', ['sbom', '--workspace', folder, ...ARGS], {
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
