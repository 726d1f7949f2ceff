import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { NGINX_FILES } from './files';

const ROOT = path.resolve(__dirname, '../../../..');

/** Part of `npm run k8s`: writes the proxy's configurations. */
for (const [file, text] of Object.entries(NGINX_FILES)) {
  writeFileSync(path.join(ROOT, file), text());
  console.log(file);
}
