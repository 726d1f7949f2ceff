import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';

/** The kinds of projects that each kind may import. The lowest layers, such as contracts and testing, import nothing. */
const layers = [
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:auth', onlyDependOnLibsWithTags: ['type:contracts'] },
  { sourceTag: 'type:batching', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:tracing', onlyDependOnLibsWithTags: ['type:batching'] },
  { sourceTag: 'type:database', onlyDependOnLibsWithTags: ['type:batching'] },
  { sourceTag: 'type:event-bus', onlyDependOnLibsWithTags: ['type:contracts', 'type:batching', 'type:database'] },
  // Only messaging imports the event bus: all other projects publish and handle events through messaging.
  {
    sourceTag: 'type:messaging',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:batching', 'type:tracing', 'type:database', 'type:event-bus'],
  },
  {
    sourceTag: 'type:http-api',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:auth', 'type:tracing', 'type:database'],
  },
  { sourceTag: 'type:rate-limit', onlyDependOnLibsWithTags: ['type:database', 'type:http-api'] },
  {
    sourceTag: 'type:service-defaults',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:tracing', 'type:database', 'type:messaging', 'type:http-api'],
  },
  {
    sourceTag: 'type:internal-api',
    onlyDependOnLibsWithTags: ['type:contracts', 'type:auth', 'type:tracing', 'type:http-api', 'type:service-defaults'],
  },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: [
      'type:internal-api',
      'type:contracts',
      'type:auth',
      'type:batching',
      'type:database',
      'type:messaging',
      'type:tracing',
      'type:http-api',
      'type:rate-limit',
      'type:service-defaults',
    ],
  },
  // Partners and client apps install the SDKs, which know the platform only by its OpenAPI documents.
  { sourceTag: 'type:sdk', onlyDependOnLibsWithTags: [] },
  // Sites know the platform only by its OpenAPI documents; the code samples of the docs use the SDK.
  { sourceTag: 'type:site', onlyDependOnLibsWithTags: ['type:sdk'] },
  // Finds a running stack and sends requests to it, for the other tools.
  { sourceTag: 'type:stack-client', onlyDependOnLibsWithTags: ['type:auth'] },
  {
    sourceTag: 'type:tool',
    onlyDependOnLibsWithTags: [
      'type:sdk',
      'type:stack-client',
      'type:contracts',
      'type:auth',
      'type:batching',
      'type:database',
      'type:messaging',
      'type:tracing',
      'type:http-api',
      'type:rate-limit',
      'type:service-defaults',
      'type:internal-api',
    ],
  },
];

/** The products whose code a project may import. Shared code imports no product's code. */
const scopes = [
  { sourceTag: 'scope:shared', onlyDependOnLibsWithTags: ['scope:shared'] },
  { sourceTag: 'scope:partner', onlyDependOnLibsWithTags: ['scope:partner', 'scope:shared'] },
  { sourceTag: 'scope:identity', onlyDependOnLibsWithTags: ['scope:identity', 'scope:shared'] },
  { sourceTag: 'scope:discovery', onlyDependOnLibsWithTags: ['scope:discovery', 'scope:shared'] },
  { sourceTag: 'scope:console', onlyDependOnLibsWithTags: ['scope:console'] },
  { sourceTag: 'scope:docs', onlyDependOnLibsWithTags: ['scope:docs', 'scope:partner'] },
  // Tools use the SDKs, as partners and client apps do.
  { sourceTag: 'scope:tools', onlyDependOnLibsWithTags: ['scope:tools', 'scope:partner', 'scope:shared', 'type:sdk'] },
];

const boundaries = (depConstraints, allow = []) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    {
      enforceBuildableLibDependency: true,
      // apps/apps.js is plain data, not a project. Scripts import the others before anything is built.
      allow: [
        '^([.][.]/)+(apps/)?apps$',
        '^([.][.]/)+ports/free-ports$',
        '^([.][.]/)+options/parse-options$',
        ...allow,
      ],
      depConstraints,
    },
  ],
});

const TESTS = ['**/*.spec.ts', '**/test/**/*.ts'];
/** Tests may use the testing lib in addition to what their project may use. */
const constraintsOfTests = [
  ...layers.map(({ sourceTag, onlyDependOnLibsWithTags }) => ({
    sourceTag,
    onlyDependOnLibsWithTags: [...onlyDependOnLibsWithTags, 'type:testing'],
  })),
  ...scopes,
];
/** The code that the SDKs share is not a project: it is compiled into each SDK, because a published SDK has no dependencies. */
const SHARED_BY_SDKS = '^([.][.]/)+sdks/typescript/';

const SPREAD_LITERAL = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the properties directly, without an object literal that is spread.',
};

export default [
  ...nx.configs['flat/base'],
  ...nx.configs['flat/typescript'],
  ...nx.configs['flat/javascript'],
  {
    ignores: [
      '**/dist',
      '**/out-tsc',
      '**/test-output',
      '**/coverage',
      '**/.venv',
      '.tandem*',
      'sbom',
      '**/src/generated',
      'apps/docs/generated',
      'apps/docs/.vitepress/cache',
    ],
  },
  { files: ['**/*.ts', '**/*.tsx', '**/*.js', '**/*.mjs'], rules: boundaries([...layers, ...scopes]) },
  { files: TESTS, rules: boundaries(constraintsOfTests) },
  { files: ['libs/*-sdk/src/**/*.ts'], rules: boundaries([...layers, ...scopes], [SHARED_BY_SDKS]) },
  { files: ['libs/*-sdk/test/**/*.ts'], rules: boundaries(constraintsOfTests, [SHARED_BY_SDKS]) },
  {
    files: ['**/*.ts', '**/*.tsx'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of string literals: wire values are strings.' },
        {
          selector: "MethodDefinition[kind='constructor'][value.params.length>6]",
          message: 'A class with more than 6 dependencies does several things: divide it.',
        },
        SPREAD_LITERAL,
      ],
    },
  },
  { files: ['**/*.js', '**/*.mjs'], rules: { 'no-restricted-syntax': ['error', SPREAD_LITERAL] } },
  {
    // A file should be short enough to read from top to bottom. Tests may be longer.
    files: ['**/src/**/*.ts', '**/src/**/*.tsx', 'sdks/typescript/*.ts'],
    ignores: ['**/*.spec.ts', '**/src/generated/**'],
    rules: { 'max-lines': ['error', 250] },
  },
  {
    // Controllers call services, and rules are pure functions: neither may access a database.
    files: ['apps/*/src/**/*.controller.ts', 'apps/*/src/**/*.rules.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: ['typeorm', '@nestjs/typeorm', 'pg'].map((name) => ({ name, allowTypeImports: true })),
          patterns: [{ group: ['**/*.repository'], allowTypeImports: true }],
        },
      ],
    },
  },
  prettier,
];
