import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT, TSC } from './paths.mjs';
import { Runner } from './runner.mjs';
import { isSource, SourceGraph } from './source-graph.mjs';
import { Watch } from './watch.mjs';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'watch-'));
const MAIN = 'apps/shop/src/main.ts';
const LIB = 'libs/words/src/index.ts';
const program = (answer) => `
import { word } from '@tandem/words';
declare const process: { pid: number; send(message: object): void; once(event: string, end: () => void): void; exit(): never };
declare const console: { log(text: string): void };
process.once('SIGTERM', () => process.exit());
process.once('disconnect', () => process.exit());
setInterval(() => undefined, 1000);
declare function setInterval(work: () => void, ms: number): void;
console.log(${answer});
process.send({ ready: true, pid: process.pid });
`;
const write = (file, text) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), text);
};

/** Waits until a condition holds. @throws after 20 s, with the lines that `seen` returns */
async function untilHolds(holds, seen) {
  for (const deadline = Date.now() + 20_000; !holds(); await delay(20)) {
    if (Date.now() > deadline) throw new Error(`the condition did not hold within 20 s: ${seen().join('\n')}`);
  }
}

describe('an app that is watched', () => {
  const lines = [];
  const told = [];
  const runner = new Runner({ onLine: (_name, line) => lines.push(line), restart: 'limited' });
  const pid = () => runner.processes[0].pid;
  const until = (holds) => untilHolds(holds, () => [...lines, ...told]);
  let watching;

  beforeAll(async () => {
    const options = {
      strict: true,
      module: 'commonjs',
      target: 'es2022',
      types: [],
      outDir: 'dist',
      rootDir: 'src',
      incremental: true,
      tsBuildInfoFile: 'dist/tsconfig.app.tsbuildinfo',
    };
    write('apps/shop/package.json', JSON.stringify({ dependencies: { '@tandem/words': '*' } }));
    write('apps/shop/tsconfig.app.json', JSON.stringify({ compilerOptions: options, include: ['src'] }));
    write('libs/words/package.json', JSON.stringify({ main: 'dist/index.js', types: 'dist/index.d.ts' }));
    fs.mkdirSync(path.join(root, 'node_modules/@tandem'), { recursive: true });
    fs.symlinkSync(path.join(root, 'libs/words'), path.join(root, 'node_modules/@tandem/words'), 'junction');
    write(MAIN, program('`first ${word}`'));
    write(LIB, `export const word: string = 'one';`);
    // The output of an earlier build.
    write(
      'apps/shop/dist/main.js',
      `process.once('disconnect', () => process.exit());\nprocess.send({ ready: true });`,
    );
    write('libs/words/dist/index.d.ts', `export declare const word: string;`);
    write('libs/words/dist/index.js', `exports.word = 'one';`);
    await runner.start({ name: 'shop', file: path.join(root, 'apps/shop/dist/main.js') });
    watching = new Watch(runner, ['shop'], (text) => told.push(text), root).run();
  });
  afterAll(async () => {
    await runner.stop(0);
    await watching;
    fs.rmSync(root, { recursive: true, force: true });
  });

  it('runs its edited source', async () => {
    write(MAIN, program('`second ${word}`'));
    await until(() => lines.includes('second one'));
  });

  it('runs an edited lib', async () => {
    write(LIB, `export const word: string = 'two';`);
    await until(() => lines.includes('second two'));
  });

  it('keeps running its previous version while a source does not compile', async () => {
    const before = pid();
    write(MAIN, program('`third ${word'));
    await until(() => told.some((text) => text.includes(`${MAIN} does not compile`)));
    write(LIB, `export const word: string = 'three';`);
    await delay(500);
    expect(pid()).toBe(before);
    write(MAIN, program('`third ${word}`'));
    await until(() => lines.includes('third three'));
  });

  it('runs despite a type error, which is reported', async () => {
    write(MAIN, program('word.length'));
    await until(() => told.some((text) => text.includes(`error TS2345: Argument of type 'number'`)));
  });

  it('is down until the next edit when it does not start', async () => {
    write(MAIN, `throw new Error('no');`);
    await until(() =>
      told.some((text) => text.includes('shop ended before it was ready (1): waiting for the next edit')),
    );
    write(MAIN, program('`fourth ${word}`'));
    await until(() => lines.includes('fourth three') && runner.processes[0].ready);
  });

  it('is restarted only once after a crash: by the runner, not by the watch', async () => {
    const before = pid();
    process.kill(before, 'SIGKILL');
    await until(() => runner.processes[0].ready && pid() !== before);
    expect(lines.filter((line) => line === 'fourth three').length).toBe(2);
  });

  it('is rebuilt by tsc from its current source when an edit was undone after the watch had ended', async () => {
    told.length = 0;
    const kept = program('`kept ${word}`');
    write(MAIN, kept);
    await until(() => told.includes('types: no errors'));
    write(MAIN, program('`undone ${word}`'));
    await until(() => lines.includes('undone three'));
    await runner.stop(0);
    write(MAIN, kept);
    spawnSync(TSC, ['-b', path.join(root, 'apps/shop/tsconfig.app.json')]);
    const built = fs.readFileSync(path.join(root, 'apps/shop/dist/main.js'), 'utf8');
    expect(built).toMatch(/kept/);
  });
});

describe('an edited migration', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'watch-migration-'));
  const file = path.join(folder, 'apps/shop/src/migrations/1-add.ts');
  const other = path.join(folder, 'apps/shop/src/main.ts');
  const told = [];
  /** The migrations and restarts of the watch, in order. */
  const order = [];
  /** The results that the next migrations return, or the errors that they throw. */
  const answers = ['1 migration', new Error('relation exists')];
  const runner = new Runner({ onLine: () => undefined });
  let watching;
  afterAll(async () => {
    await runner.stop(0);
    await watching;
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('runs before its app restarts, and keeps the previous version of the app running when it fails', async () => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(path.join(folder, 'apps/shop/package.json'), JSON.stringify({ dependencies: {} }));
    fs.writeFileSync(path.join(folder, 'apps/shop/tsconfig.app.json'), '{}');
    fs.writeFileSync(file, 'export const one = 1;');
    fs.writeFileSync(other, 'export const zero = 0;');
    runner.replace = async (app) => void order.push(`replace ${app}`);
    const watch = new Watch(runner, ['shop'], (text) => told.push(text), folder);
    watch.migrate = async () => {
      const answer = answers.shift();
      order.push('migrate');
      if (answer instanceof Error) throw answer;
      return answer;
    };
    watching = watch.run();
    fs.writeFileSync(file, 'export const two = 2;');
    await untilHolds(
      () => told.some((text) => text.includes('shop runs the edit')),
      () => [...told, ...order],
    );
    expect(order).toEqual(['migrate', 'replace shop']);
    expect(told[0]).toBe('migrations: 1 migration');
    fs.writeFileSync(file, 'export const three = 33;');
    await untilHolds(
      () => told.includes('the migration failed; the previous version keeps running\nrelation exists'),
      () => [...told, ...order],
    );
    expect(order).toEqual(['migrate', 'replace shop', 'migrate']);
  });

  it('runs again at the next edit when it has failed', async () => {
    const before = order.length;
    answers.push('1 migration');
    fs.writeFileSync(other, 'export const four = 4;');
    await untilHolds(
      () => order.length >= before + 2,
      () => [...told, ...order],
    );
    expect(order.slice(before)).toEqual(['migrate', 'replace shop']);
  });
});

describe('an edited file of a lib', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'watch-lib-'));
  const put = (file, ...lines) => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), lines.join('\n'));
  };
  const replaced = [];
  const told = [];
  const checked = [];
  const runner = new Runner({ onLine: () => undefined });
  runner.replace = async (app) => void replaced.push(app);
  runner.task = async (_program, args) => void checked.push(args.slice(3).map((file) => file.split(path.sep).at(-2)));
  let watching;
  beforeAll(() => {
    for (const app of ['shop', 'stock']) {
      put(`apps/${app}/package.json`, JSON.stringify({ dependencies: { '@tandem/words': '*' } }));
      put(`apps/${app}/tsconfig.app.json`, '{}');
    }
    put('apps/other/package.json', '{}');
    put('apps/other/src/main.ts', 'export const other = 1;');
    put(
      'apps/shop/src/main.ts',
      `import {
        // it's sold
        sold,
        type Word,
      } from '@tandem/words';
      export const one: Word = sold;`,
    );
    put('apps/stock/src/main.ts', "import * as words from './words';", 'export const two = words.amount;');
    put('apps/stock/src/words.ts', "export { left as amount, spaces } from '@tandem/words';");
    put('libs/words/package.json', '{}');
    put('libs/words/src/index.ts', "import './setup';", "export { left } from './left';", "export * from './parts';");
    put('libs/words/src/setup.ts', 'console.log(1);');
    put(
      'libs/words/src/left.ts',
      'export class Left extends Error {}',
      "import { both } from './both';",
      'export const left = both;',
    );
    put(
      'libs/words/src/parts/index.ts',
      "export * from './word';",
      "export * from './sold';",
      "export * as spaces from './space';",
    );
    put(
      'libs/words/src/parts/sold.ts',
      "export * from '..';",
      "import { both } from '../both';",
      'export const sold = both;',
    );
    put('libs/words/src/parts/space.ts', "export const sold = ' ';");
    put('libs/words/src/parts/word.ts', 'export type Word = string;', 'export const unused = 1;');
    put('libs/words/src/both.ts', "export const both = 'both';");
    watching = new Watch(runner, ['shop', 'stock', 'other'], (text) => told.push(text), folder).run();
  });
  afterAll(async () => {
    await runner.stop(0);
    await watching;
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['libs/words/src/parts/sold.ts', ['shop']],
    ['libs/words/src/left.ts', ['stock']],
    ['libs/words/src/parts/space.ts', ['stock']],
    ['libs/words/src/both.ts', ['shop', 'stock']],
    ['libs/words/src/setup.ts', ['shop', 'stock']],
    ['libs/words/src/index.ts', ['shop', 'stock']],
    ['libs/words/src/parts/word.ts', []],
  ])('%s restarts the apps that run it, %p, and has the types of all its users checked', async (file, apps) => {
    for (const list of [replaced, told, checked]) list.length = 0;
    fs.appendFileSync(path.join(folder, file), '\n// edited');
    await untilHolds(
      () => told.includes('types: no errors'),
      () => [...replaced, ...told],
    );
    expect([...replaced].sort()).toEqual(apps);
    expect(checked).toEqual([['shop', 'stock']]);
    const unused = `${path.normalize(file)}: no watched app uses this file at run time, so none is restarted`;
    expect(told.includes(unused)).toBe(apps.length === 0);
  });

  it('that was deleted restarts the apps that ran it, and has types checked', async () => {
    for (const list of [replaced, told, checked]) list.length = 0;
    put('libs/words/src/extra.ts', 'export const extra = 1;');
    put('libs/words/src/left.ts', "import { extra } from './extra';", 'export const left = extra;');
    await untilHolds(
      () => replaced.includes('stock') && told.includes('types: no errors'),
      () => [...replaced, ...told],
    );
    const built = path.join(folder, 'libs/words/dist/extra.js');
    expect(fs.existsSync(built)).toBe(true);
    for (const list of [replaced, told, checked]) list.length = 0;
    fs.rmSync(path.join(folder, 'libs/words/src/extra.ts'));
    await untilHolds(
      () => told.includes('types: no errors'),
      () => [...replaced, ...told],
    );
    expect(replaced).toEqual(['stock']);
    expect(fs.existsSync(built)).toBe(false);
  });

  it('that did not compile blocks no restart after it was deleted, and its folder may be absent for a moment', async () => {
    for (const list of [replaced, told]) list.length = 0;
    put('libs/words/src/broken.ts', 'export const broken = (');
    await untilHolds(
      () => told.some((text) => text.includes('broken.ts does not compile')),
      () => told,
    );
    fs.renameSync(path.join(folder, 'libs/words'), path.join(folder, 'libs/away'));
    await delay(500);
    fs.renameSync(path.join(folder, 'libs/away'), path.join(folder, 'libs/words'));
    fs.rmSync(path.join(folder, 'libs/words/src/broken.ts'));
    for (const list of [replaced, told]) list.length = 0;
    fs.appendFileSync(path.join(folder, 'libs/words/src/both.ts'), '\n// edited');
    await untilHolds(
      () => replaced.includes('shop'),
      () => [...replaced, ...told],
    );
  });

  it('waits, with a message, while another file does not compile', async () => {
    for (const list of [replaced, told]) list.length = 0;
    put('apps/stock/src/broken.ts', 'export const broken = (');
    await untilHolds(
      () => told.some((text) => text.includes('broken.ts does not compile')),
      () => told,
    );
    fs.appendFileSync(path.join(folder, 'libs/words/src/parts/sold.ts'), '\n// edited');
    const waiting = `no app is restarted until this file compiles: ${path.normalize('apps/stock/src/broken.ts')}`;
    await untilHolds(
      () => told.includes(waiting),
      () => told,
    );
    expect(replaced).toEqual([]);
    fs.rmSync(path.join(folder, 'apps/stock/src/broken.ts'));
    await untilHolds(
      () => replaced.includes('shop'),
      () => [...replaced, ...told],
    );
  });
});

describe('the sources of an app', () => {
  it('include the events that the app uses, and no others', async () => {
    const graph = new SourceGraph(ROOT);
    const listed = spawnSync('git', ['ls-files', 'apps', 'libs'], { cwd: ROOT, encoding: 'utf8' }).stdout.split('\n');
    await graph.read(listed.filter(isSource).map((file) => path.normalize(file)));
    const events = ['sale', 'coupon', 'enrollment', 'alert', 'values'];
    const of = (app) => {
      const sources = graph.sourcesOf(app);
      return events.filter((name) => sources.has(path.normalize(`libs/contracts/src/events/${name}.ts`)));
    };
    expect(of('discovery')).toEqual(['values']);
    expect(of('voucher-service')).toEqual(['coupon', 'values']);
    expect(of('partner-gateway')).toEqual(['sale', 'values']);
    expect(of('idp-api')).toEqual(['enrollment', 'alert', 'values']);
  });
});

describe('the env file of an app', () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'env-'));
  afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

  it('contains the values in a form that Node reads back unchanged, and is readable by its owner only', async () => {
    const { writeEnvFiles } = await import('./env-file.mjs');
    const values = { A: 'x=#y z', B: `it's "so"`, C: '', D: 'k1:ab+/=', E: undefined };
    writeEnvFiles({ shop: values }, home);
    const file = path.join(home, 'shop.env');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const { parseEnv } = await import('node:util');
    const read = parseEnv(fs.readFileSync(file, 'utf8'));
    expect([read.A, read.B, read.C, read.D, 'E' in read]).toEqual([values.A, values.B, '', values.D, false]);
  });
});
