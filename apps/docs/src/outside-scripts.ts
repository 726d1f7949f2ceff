import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Moves the inline scripts of a page into files, because the site's `Content-Security-Policy` allows no inline scripts. */
export function withOutsideScripts(html: string, folder: string, base: string): string {
  return html.replace(
    /<script([^>]*)>((?:(?!<\/script>)[^])+)<\/script>/g,
    (_whole, attributes: string, text: string) => {
      const name = `assets/inline.${createHash('sha256').update(text).digest('hex').slice(0, 8)}.js`;
      fs.mkdirSync(path.join(folder, 'assets'), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text);
      return `<script${attributes} src="${base}${name}"></script>`;
    },
  );
}
