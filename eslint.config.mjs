import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';

/** What each kind of project may use. Arrows point downwards only: contracts and testing are the ground. */
const layers = [
  { sourceTag: 'type:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:auth', onlyDependOnLibsWithTags: ['type:contracts'] },
  { sourceTag: 'type:batching', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'type:tracing', onlyDependOnLibsWithTags: ['type:batching'] },
  { sourceTag: 'type:database', onlyDependOnLibsWithTags: ['type:batching'] },
  { sourceTag: 'type:event-bus', onlyDependOnLibsWithTags: ['type:contracts', 'type:batching', 'type:database'] },
  // The only one that uses the bus: the others publish and handle events by messaging.
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
  // Partners and client apps install them: they know the platform by its OpenAPI documents only.
  { sourceTag: 'type:sdk', onlyDependOnLibsWithTags: [] },
  // Sites know the platform by its OpenAPI documents only; the samples of the docs use the SDK.
  { sourceTag: 'type:site', onlyDependOnLibsWithTags: ['type:sdk'] },
  // How tools find a running stack, and what they send to it.
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

/** Which product a project may see. Shared code knows no product. */
const scopes = [
  { sourceTag: 'scope:shared', onlyDependOnLibsWithTags: ['scope:shared'] },
  { sourceTag: 'scope:partner', onlyDependOnLibsWithTags: ['scope:partner', 'scope:shared'] },
  { sourceTag: 'scope:identity', onlyDependOnLibsWithTags: ['scope:identity', 'scope:shared'] },
  { sourceTag: 'scope:discovery', onlyDependOnLibsWithTags: ['scope:discovery', 'scope:shared'] },
  { sourceTag: 'scope:console', onlyDependOnLibsWithTags: ['scope:console'] },
  { sourceTag: 'scope:docs', onlyDependOnLibsWithTags: ['scope:docs', 'scope:partner'] },
  // Tools use what partners and client apps install.
  { sourceTag: 'scope:tools', onlyDependOnLibsWithTags: ['scope:tools', 'scope:partner', 'scope:shared', 'type:sdk'] },
];

const boundaries = (depConstraints, allow = []) => ({
  '@nx/enforce-module-boundaries': [
    'error',
    {
      enforceBuildableLibDependency: true,
      // The table of apps is no project: it is plain data. Scripts need free ports before anything is built.
      allow: ['^([.][.]/)+(apps/)?apps$', '^([.][.]/)+ports/free-ports$', ...allow],
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
/** What the SDKs have in common is no project: it is compiled into each, because a published SDK has no dependencies. */
const SHARED_BY_SDKS = '^([.][.]/)+sdks/typescript/';

export default [
  ...nx.configs['flat/base'],
  ...nx.configs['flat/typescript'],
  ...nx.configs['flat/javascript'],
  {
    ignores: [
      '**/dist',
      '**/out-tsc',
      '**/test-output',
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
      ],
    },
  },
  {
    // A file is read from top to bottom; tests are as long as what they prove.
    files: ['**/src/**/*.ts', '**/src/**/*.tsx', 'sdks/typescript/*.ts'],
    ignores: ['**/*.spec.ts', '**/src/generated/**'],
    rules: { 'max-lines': ['error', 250] },
  },
  {
    // Controllers call services, and rules are pure: neither reads a database.
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
