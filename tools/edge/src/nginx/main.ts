import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { GENERATED_NGINX_FILES } from './files';

const ROOT = path.resolve(__dirname, '../../../..');

/** Part of `npm run k8s`: writes the configurations of nginx as the edge and as the server of the console. */
for (const [file, text] of Object.entries(GENERATED_NGINX_FILES)) {
  writeFileSync(path.join(ROOT, file), text());
  console.log(file);
}
