/** `npm run observability` writes the generated files, or checks that the dashboards show data. */
import '../stack/node-version.mjs';

const { default: fs } = await import('node:fs');
const { default: os } = await import('node:os');
const { default: path } = await import('node:path');
const { ROOT } = await import('../stack/paths.mjs');
const { installOnce } = await import('../stack/install.mjs');
installOnce();
const { readStack } = await import('../stack/stack-file.mjs');
const { writeFiles } = await import('./files.mjs');
const { configFor, emptyPanels, panelQueries } = await import('./panel-check.mjs');
const { findPrometheus, startPrometheus } = await import('./prometheus.mjs');

const USAGE = `npm run observability -- write          the dashboards of Grafana, and the rules for Kubernetes
npm run observability -- check [--job APP]   runs every query of every panel on a real Prometheus

check needs a stack that runs here (npm start). It sees only new events and requests: run npm run demo while it runs.
`;
const WAIT_MS = 180_000;

/** @returns {Promise<number>} the exit code */
async function check(job) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'observability-'));
  const config = path.join(folder, 'prometheus.yml');
  fs.writeFileSync(config, configFor(readStack()));
  const { prometheus: program } = await findPrometheus();
  const prometheus = await startPrometheus({ program, config, folder });
  try {
    console.log(`Prometheus is at ${prometheus.url} for up to ${WAIT_MS / 1000} s. Run npm run demo now.`);
    const queries = panelQueries({ job });
    const empty = await emptyPanels(prometheus.url, queries, AbortSignal.timeout(WAIT_MS));
    for (const { dashboard, panel, expr } of empty) console.log(`${dashboard}: ${panel}: no data\n    ${expr}`);
    console.log(`${queries.length - empty.length} of ${queries.length} queries have data.`);
    return empty.length === 0 ? 0 : 1;
  } finally {
    await prometheus.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main([command, flag, job = 'partner-gateway']) {
  if (command === 'write') {
    for (const file of await writeFiles()) console.log(path.relative(ROOT, file));
    return 0;
  }
  if (command === 'check' && (flag === undefined || flag === '--job')) return check(job);
  if (command === '--help') console.log(USAGE);
  else console.error(USAGE);
  return command === '--help' ? 0 : 2;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
