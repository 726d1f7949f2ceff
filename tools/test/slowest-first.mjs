import path from 'node:path';
import sequencer from '@jest/test-sequencer';
import { ROOT } from '../stack/paths.mjs';

/** Jest's sequencer. The cast is needed, because the types do not describe what Node imports from this CommonJS module. */
const Sequencer = /** @type {typeof sequencer.default} */ (/** @type {unknown} */ (sequencer));

/**
 * The slowest test files, the longest first. In a fresh clone, Jest does not know the durations of files yet. Without this list, it would start some
 * of these files last, and the other workers would idle until these files end.
 */
export const SLOWEST = [
  'tools/test/console.spec.mjs',
  'tools/chaos/test/faults.int.spec.ts',
  'apps/idp-api/test/kills.int.spec.ts',
  'tools/fuzz/test/fuzz.int.spec.ts',
  'tools/new/recipe.spec.mjs',
  'tools/test/fresh-clone.spec.mjs',
  'tools/edge/test/docs.browser.spec.ts',
  'libs/messaging/test/downstream-consumers.int.spec.ts',
  'tools/test/private-data.spec.mjs',
  'apps/idp-api/test/late-vendor.int.spec.ts',
  'tools/chaos/test/replicas.int.spec.ts',
  'tools/test/console-failures.spec.mjs',
  'tools/test/upgrade.spec.mjs',
  'tools/chaos/test/restore.int.spec.ts',
  'apps/idp-api/test/vendor-enrollments.int.spec.ts',
  'libs/messaging/test/faults-kafka.int.spec.ts',
  'tools/test/shops.spec.mjs',
  'libs/messaging/test/faults-postgres.int.spec.ts',
  'tools/sandbox/test/pages.browser.spec.ts',
  'apps/partner-gateway/test/on-call.int.spec.ts',
  'tools/fuzz/test/callers.int.spec.ts',
  'tools/deployment/test/migrate.int.spec.ts',
  'libs/messaging/test/batches.int.spec.ts',
  'libs/messaging/test/handlers.int.spec.ts',
  'tools/test/listen.spec.mjs',
  'libs/partner-sdk/test/python-sdk.spec.ts',
  'libs/messaging/test/bus-contract.int.spec.ts',
  'tools/test/generated-clients/generated-clients.spec.mjs',
  'apps/postback-dispatcher/test/replicas.int.spec.ts',
  'libs/messaging/test/replays.int.spec.ts',
  'tools/cli/test/ingest.spec.ts',
  'apps/idp-api/test/histories.int.spec.ts',
  'tools/observability/dashboards.spec.mjs',
  'libs/partner-sdk/test/package.spec.ts',
  'tools/test/traces.spec.mjs',
];

/** Sorts the test files: first the files of SLOWEST, then the other files in Jest's own order. */
export default class SlowestFirst extends Sequencer {
  /** Jest's durations and failures of earlier runs, by the id of the projects: projects with the same id share one of Jest's files. */
  #caches = new Map();

  /**
   * Returns one cache for all projects with the same id. Jest itself would keep a copy for each project and write all copies to the same file, where
   * the last copy would replace the others.
   * @override
   * @param {import('@jest/test-result').Test} test
   */
  _getCache(test) {
    const { id } = test.context.config;
    if (!this.#caches.has(id)) this.#caches.set(id, super._getCache(test));
    // Jest writes the caches in `_cache` to their files, so the shared cache is added to it. The cast is needed, because the types declare `_cache`
    // as private.
    /** @type {any} */ (this)._cache.set(test.context, this.#caches.get(id));
    return this.#caches.get(id);
  }

  /**
   * @override
   * @param {import('@jest/test-result').Test[]} tests
   */
  async sort(tests) {
    const rankOf = ({ path: file }) => {
      const rank = SLOWEST.indexOf(path.relative(ROOT, file).split(path.sep).join('/'));
      return rank < 0 ? SLOWEST.length : rank;
    };
    return (await super.sort(tests)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
