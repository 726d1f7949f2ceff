import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { GENERATED_NGINX_FILES } from './files';

const ROOT = path.resolve(__dirname, '../../../..');

/** Writes all configurations of nginx: those of the edge, the console and the docs site. Part of `npm run k8s`. */
for (const [file, text] of Object.entries(GENERATED_NGINX_FILES)) {
  writeFileSync(path.join(ROOT, file), text());
  console.log(file);
}
