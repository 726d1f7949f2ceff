/** Keywords of PromQL that look like the name of a metric. */
const KEYWORDS = new Set(['and', 'or', 'unless', 'on', 'ignoring', 'by', 'without', 'offset', 'bool']);
/** Matches the suffixes of the series of a histogram. */
const PARTS = /_(bucket|count|sum)$/;
/** The series that Prometheus itself adds. */
const OWN = ['up', 'ALERTS'];

/**
 * Returns the metrics that a query reads.
 *
 * @param {string} expr  PromQL
 * @returns {string[]}
 */
export function metricsIn(expr) {
  const bare = expr
    .replace(/"[^"]*"/g, '')
    .replace(/#.*$/gm, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  const words = [...bare.matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)].map(([word]) => word);
  return [...new Set(words.filter((word) => !KEYWORDS.has(word)))];
}

/**
 * Returns the names and types of the metrics of an app.
 *
 * @param {string} text  the answer of `/metrics`
 * @returns {Map<string, string>} for example `http_request_duration_seconds` → `histogram`
 */
export const metricsOf = (text) =>
  new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name, kind]));

/**
 * Returns whether a metric exists.
 *
 * @param {string} name
 * @param {ReadonlyMap<string, string>} metrics  the metrics of the apps
 * @param {ReadonlySet<string>} recorded  the series that rules record
 */
export const exists = (name, metrics, recorded) =>
  OWN.includes(name) ||
  recorded.has(name) ||
  metrics.has(name) ||
  (PARTS.test(name) && metrics.get(name.replace(PARTS, '')) === 'histogram');
