import path from 'node:path';
import sequencer from '@jest/test-sequencer';
import { ROOT } from '../stack/paths.mjs';

/** The types describe the CommonJS module, whose default export Node returns for an import. */
const Sequencer = /** @type {typeof sequencer.default} */ (/** @type {unknown} */ (sequencer));

/**
 * The test files that take longest, the longest first. Jest knows how long a file took only where it ran before; without this list, a
 * fresh clone would start some of them last, and one worker would wait for the other.
 */
export const SLOWEST = [
  'apps/idp-api/test/kills.int.spec.ts',
  'tools/test/console.spec.mjs',
  'tools/new/recipe.spec.mjs',
  'tools/chaos/test/replicas.int.spec.ts',
  'tools/chaos/test/faults.int.spec.ts',
  'tools/test/upgrade.spec.mjs',
  'tools/edge/test/docs.browser.spec.ts',
  'libs/messaging/test/downstream-consumers.int.spec.ts',
  'tools/fuzz/test/fuzz.int.spec.ts',
  'tools/test/console-failures.spec.mjs',
  'tools/test/private-data.spec.mjs',
  'tools/test/fresh-clone.spec.mjs',
  'tools/chaos/test/restore.int.spec.ts',
  'libs/messaging/test/faults-kafka.int.spec.ts',
  'tools/test/shops.spec.mjs',
  'apps/idp-api/test/vendor-enrollments.int.spec.ts',
  'apps/postback-dispatcher/test/replicas.int.spec.ts',
  'libs/messaging/test/replays.int.spec.ts',
  'apps/idp-api/test/late-vendor.int.spec.ts',
  'apps/partner-gateway/test/on-call.int.spec.ts',
  'libs/messaging/test/batches.int.spec.ts',
  'tools/observability/dashboards.spec.mjs',
  'tools/test/listen.spec.mjs',
  'libs/messaging/test/faults-postgres.int.spec.ts',
  'apps/idp-api/test/histories.int.spec.ts',
  'tools/test/generated-clients/generated-clients.spec.mjs',
  'tools/deployment/test/migrate.int.spec.ts',
  'tools/test/traces.spec.mjs',
];

/** The order of the test files: the slowest, then Jest's own order. */
export default class SlowestFirst extends Sequencer {
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
