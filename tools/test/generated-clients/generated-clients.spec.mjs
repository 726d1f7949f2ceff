import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { inRoot } from '../../stack/paths.mjs';

jest.setTimeout(600_000);

const HERE = import.meta.dirname;
const DOCUMENT = inRoot('docs/openapi/client-api.json');
const { paths, components } = JSON.parse(fs.readFileSync(DOCUMENT, 'utf8'));
const nameOf = ({ $ref }) => $ref.split('/').at(-1);
const UNIONS = Object.entries(components.schemas).flatMap(([name, { oneOf }]) =>
  oneOf?.every(({ $ref }) => $ref) ? [[name, oneOf.map(nameOf)]] : [],
);

/** Every example of an answer in the document, with the name of its schema. */
const ANSWERS = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ responses }) => Object.values(responses))
  .map((response) => (response.$ref ? components.responses[nameOf(response)] : response))
  .flatMap(({ content }) => Object.values(content ?? {}))
  .flatMap(({ schema, example, examples = {} }) => {
    const values = [example, ...Object.values(examples).map(({ value }) => value)].filter((one) => one !== undefined);
    return schema.items
      ? values.flat().map((value) => [nameOf(schema.items), value])
      : values.map((value) => [nameOf(schema), value]);
  });
const dashboard = ANSWERS.find(([schema]) => schema === 'DashboardDto')[1];
const errors = ANSWERS.map(([, value]) => value.BadRequest).filter((variant) => variant !== undefined);
/** Values of union schemas, each with the name of the union and the class of its variant. */
const VARIANTS = [
  ...errors.map((variant) => ['BadRequestVariant', variant, Object.keys(variant)[0]]),
  ...Object.entries({
    userAlerts: 'UserAlerts',
    creditScoreHistory: 'CreditScores',
    monitorsOverview: 'MonitorOverview',
  }).map(([field, name]) => [`${name}Section`, dashboard[field], `${name}Ok`]),
  ['UserAlertsSection', { Err: 'provider unavailable' }, 'SectionErr'],
  ['CreditScoresSection', { Err: 'entitlements required' }, 'SectionErr'],
  ...ANSWERS.filter(([schema]) => schema === 'AlertDetails').map(([schema, value]) => [
    schema,
    value,
    detailsOf(value),
  ]),
  ['ErrorAnswer', { error: 'internal' }, 'PlainError'],
  ['ErrorAnswer', { BadRequest: { UserNotFound: {} } }, 'BadRequest'],
];
/** Values that their schema does not allow. */
const WRONG = [
  ['BadRequest', { BadRequest: { Nonsense: {} } }],
  ['BadRequestVariant', { AttemptsTooEarly: {} }],
  ['UserAlertsSection', {}],
  ['UserAlertsSection', { Err: 5 }],
  ['AlertDetails', { other: 1 }],
];

function detailsOf(value) {
  const forms = { alertId: 'Idp', id: 'Exp', creditAlert: 'Tui', alertInfo: 'Efx' };
  return `${Object.entries(forms).find(([field]) => field in value)[1]}AlertDetails`;
}

/**
 * Checks that a program decodes ANSWERS, decodes VARIANTS as the right classes, and refuses WRONG. The program reads pairs of a schema and
 * a value, and prints classes.
 */
async function expectDecoded(command, args, options) {
  const pairs = [...ANSWERS, ...VARIANTS.map(([schema, value]) => [schema, value]), ...WRONG];
  const work = promisify(execFile)(command, args, { ...options, maxBuffer: 10_000_000 });
  work.child.stdin.end(JSON.stringify(pairs));
  const classes = (await work).stdout.trim().split(/\r?\n/);
  expect(classes.length).toBe(pairs.length);
  const isDecoded = (index) => classes[index] !== 'refused';
  expect(ANSWERS.filter((_, index) => !isDecoded(index))).toEqual([]);
  const rest = classes.slice(ANSWERS.length);
  expect(VARIANTS.map(([schema, value], index) => [schema, value, rest[index]])).toEqual(VARIANTS);
  expect(rest.slice(VARIANTS.length)).toEqual(WRONG.map(() => 'refused'));
}

const works = (command, ...args) => spawnSync(command, args).status === 0;
const hasJava = works('javac', '-version') && works('mvn', '-version');
const hasPython = works('python3', '-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))');
const run = promisify(execFile);
/** Options for Java programs that run for seconds: the second compiler and a concurrent collector would cost more than they save. */
const SHORT_JVM = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/**
 * Installs the packages of a list unless they are installed, and returns their folder, which is kept in `.tandem`. A changed list gets a new
 * folder.
 *
 * @param {string} list a file in this folder
 * @param {(folder: string) => Promise<unknown>} install
 */
async function installed(list, install) {
  const digest = createHash('sha256')
    .update(fs.readFileSync(path.join(HERE, list)))
    .digest('hex');
  const folder = inRoot('.tandem/generated-clients', `${list}-${digest.slice(0, 16)}`);
  if (fs.existsSync(folder)) return folder;
  // The folder has another name until the installation is complete.
  const draft = `${folder}.${process.pid}`;
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  try {
    await install(draft);
    fs.renameSync(draft, folder);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

describe('the examples of answers in docs/openapi/client-api.json', () => {
  it('are more than 250, and the tests have a value for each variant of every union except the sections of the dashboard', () => {
    expect(ANSWERS.length).toBeGreaterThan(250);
    expect(UNIONS.map(([name]) => name).filter((name) => !name.endsWith('Section'))).toEqual([
      'AlertDetails',
      'BadRequestVariant',
      'ErrorAnswer',
    ]);
    const covered = new Set(VARIANTS.map(([, , variant]) => variant));
    const variants = UNIONS.filter(([name]) => !name.endsWith('Section')).flatMap(([, names]) => names);
    expect(variants.filter((name) => !covered.has(name))).toEqual([]);
  });
});

it('come from a document whose enums have only texts: other values break Kotlin and Java clients [interface.variants]', () => {
  const enums = [...fs.readFileSync(DOCUMENT, 'utf8').matchAll(/"enum": (\[[^\]]*\])/g)].map(([, list]) =>
    JSON.parse(list),
  );
  expect(enums.length).toBeGreaterThan(3);
  expect(enums.flat().filter((value) => typeof value !== 'string')).toEqual([]);
});

// Needs Java and Maven, as the tests on Kafka do.
(hasJava ? describe : describe.skip)('openapi-generator', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'generated-clients-'));
  let jars;
  beforeAll(async () => {
    const copy = ['-B', '-q', '-ntp', '-f', path.join(HERE, 'pom.xml'), 'dependency:copy-dependencies'];
    jars = await installed('pom.xml', (target) => run('mvn', [...copy, `-DoutputDirectory=${target}`]));
    const models = { models: '', modelDocs: 'false', modelTests: 'false', supportingFiles: 'false' };
    const generators = {
      java: {
        globalProperties: { ...models, supportingFiles: 'JSON.java,ApiException.java,AbstractOpenApiSchema.java' },
        additionalProperties: { openApiNullable: 'false', hideGenerationTimestamp: 'true' },
      },
      kotlin: {
        library: 'jvm-retrofit2',
        additionalProperties: { serializationLibrary: 'kotlinx_serialization', generateOneOfAnyOfWrappers: 'true' },
      },
      swift6: {},
    };
    const files = Object.entries(generators).map(([generatorName, options]) => {
      const file = path.join(folder, `${generatorName}.json`);
      const outputDir = path.join(folder, generatorName);
      const settings = { generatorName, inputSpec: DOCUMENT, outputDir, globalProperties: models, ...options };
      fs.writeFileSync(file, JSON.stringify(settings));
      return file;
    });
    // One process runs all generators, because most of the time is spent on its start.
    const generator = fs.readdirSync(jars).find((name) => name.startsWith('openapi-generator-cli'));
    await run('java', [
      ...SHORT_JVM,
      '-jar',
      path.join(jars, generator),
      'batch',
      '--threads',
      '1',
      '--fail-fast',
      ...files,
    ]);
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  const textOf = (at, name) => fs.readFileSync(path.join(folder, at, name), 'utf8');
  const SWIFT = 'swift6/Sources/OpenAPIClient/Models';
  const KOTLIN = 'kotlin/src/main/kotlin/org/openapitools/client/models';

  it('writes an enum for each union in Swift', () => {
    for (const [name, variants] of UNIONS) {
      const cases = [...textOf(SWIFT, `${name}.swift`).matchAll(/^ +case type\w+\((\w+)\)$/gm)];
      expect([name, cases.map(([, variant]) => variant)]).toEqual([name, [...variants].sort()]);
    }
  });

  it('writes a sealed interface for each union in Kotlin, and no property of the type Any', () => {
    for (const [name, variants] of UNIONS) {
      const text = textOf(KOTLIN, `${name}.kt`);
      expect(text).toContain(`sealed interface ${name} {`);
      const classes = [...text.matchAll(/^ +value class \w+\(val value: (\w+)\) : (\w+)$/gm)];
      expect(classes.map(([, variant, of]) => [variant, of])).toEqual(variants.map((variant) => [variant, name]));
    }
    for (const file of fs.readdirSync(path.join(folder, KOTLIN)))
      expect([file, textOf(KOTLIN, file)]).toEqual([file, expect.not.stringMatching(/^ +.*val \w+: kotlin\.Any\b/m)]);
  });

  it('writes Java that compiles, decodes every answer as its variant, and refuses wrong values', async () => {
    const sources = path.join(folder, 'java/src/main/java');
    const files = fs
      .readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.java'));
    const classpath = fs.readdirSync(jars).map((name) => path.join(jars, name));
    const list = path.join(folder, 'sources.txt');
    fs.writeFileSync(
      list,
      [
        ...files.map((name) => path.join(sources, name)),
        path.join(HERE, 'Decode.java'),
        path.join(HERE, 'Generated.java'),
      ].join('\n'),
    );
    const classes = path.join(folder, 'classes');
    await run('javac', [
      ...SHORT_JVM.map((flag) => `-J${flag}`),
      '-nowarn',
      '-proc:none',
      '-d',
      classes,
      '-cp',
      classpath.join(path.delimiter),
      `@${list}`,
    ]);
    await expectDecoded('java', [...SHORT_JVM, '-cp', [classes, ...classpath].join(path.delimiter), 'Decode']);
  });
});

(hasPython ? describe : describe.skip)('datamodel-code-generator', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'generated-models-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('writes Python that decodes every answer strictly, as its variant, and refuses wrong values', async () => {
    const pythonIn = (target) => path.join(target, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    const environment = await installed('requirements.txt', async (target) => {
      await run('python3', ['-m', 'venv', target]);
      const options = ['-q', '--disable-pip-version-check', '-r', path.join(HERE, 'requirements.txt')];
      await run(pythonIn(target), ['-m', 'pip', 'install', ...options]);
    });
    const python = pythonIn(environment);
    const strict = ['--extra-fields', 'forbid', '--strict-types', 'str', 'int', 'bool', 'float'];
    const input = ['--input', DOCUMENT, '--input-file-type', 'openapi', '--output', path.join(folder, 'models.py')];
    const model = ['--output-model-type', 'pydantic_v2.BaseModel', ...strict];
    await run(python, ['-m', 'datamodel_code_generator', ...input, ...model]);
    const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
    await expectDecoded(python, [path.join(HERE, 'decode.py')], { env });
  });
});
