/**
 * Compiles TypeScript when Node loads it: `node --conditions=@tandem/source --require <this file> <file>.ts` runs an app from its
 * sources. Compiled files are kept in node_modules/.cache/tandem-sources, so that a test's tenth process starts as fast as a built app.
 */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { SWC } = require('../../jest.project.js');

const CACHE = path.join(__dirname, '../../node_modules/.cache/tandem-sources');
/** Like tsc, keeps `import()`, which also loads ES modules. */
const OPTIONS = { ...SWC, module: { ...SWC.module, ignoreDynamic: true }, sourceMaps: 'inline' };
const SALT = JSON.stringify([OPTIONS, require('@swc/core/package.json').version]);

/** Returns the JavaScript of a file, from the cache if the file has not changed. */
function compiled(file) {
  const source = fs.readFileSync(file, 'utf8');
  const key = createHash('sha256').update(SALT).update(file).update(source).digest('hex');
  const target = path.join(CACHE, `${key}.js`);
  try {
    return fs.readFileSync(target, 'utf8');
  } catch {
    const { code } = require('@swc/core').transformSync(source, { ...OPTIONS, filename: file });
    // Another process may write the same file: each writes its own and renames it.
    fs.mkdirSync(CACHE, { recursive: true });
    fs.writeFileSync(`${target}.${process.pid}`, code);
    fs.renameSync(`${target}.${process.pid}`, target);
    return code;
  }
}

Module._extensions['.ts'] = (module, file) => module._compile(compiled(file), file);
