/** Words of PromQL that stand where a metric could. */
const KEYWORDS = new Set(['and', 'or', 'unless', 'on', 'ignoring', 'by', 'without', 'offset', 'bool']);
/** What a histogram is asked for. */
const PARTS = /_(bucket|count|sum)$/;
/** What Prometheus itself adds. */
const OWN = ['up', 'ALERTS'];

/**
 * The metrics that a query reads.
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
 * The names and kinds of the metrics of an app.
 *
 * @param {string} text  of `/metrics`
 * @returns {Map<string, string>} for example `http_request_duration_seconds` → `histogram`
 */
export const metricsOf = (text) =>
  new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name, kind]));

/**
 * Whether there is what a query reads.
 *
 * @param {string} name
 * @param {ReadonlyMap<string, string>} metrics  of the apps
 * @param {ReadonlySet<string>} recorded  by rules
 */
export const exists = (name, metrics, recorded) =>
  OWN.includes(name) ||
  recorded.has(name) ||
  metrics.has(name) ||
  (PARTS.test(name) && metrics.get(name.replace(PARTS, '')) === 'histogram');
