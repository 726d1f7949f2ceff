/** The contents of the dashboards, from which `npm run observability -- write` generates observability/grafana/dashboards. */

/** @typedef {import('./dashboard-model.mjs').DashboardDefinition} DashboardDefinition */
/** @typedef {import('./dashboard-model.mjs').PanelDefinition} PanelDefinition */
/** @typedef {import('./dashboard-model.mjs').Unit} Unit */

/**
 * @param {string} title
 * @param {Unit} unit
 * @param {...(readonly [string, string])} queries
 * @returns {PanelDefinition}
 */
const panel = (title, unit, ...queries) => ({ title, unit, queries });

const quantile = (share, metric, by, filter = '') =>
  `histogram_quantile(${share}, sum by (${by}, le) (rate(${metric}_bucket${filter}[$__rate_interval])))`;
const rate = (metric, by, filter = '') => `sum by (${by}) (rate(${metric}${filter}[$__rate_interval]))`;

const HTTP = 'http_request_duration_seconds';
const VENDOR = 'vendor_request_duration_seconds';
const CALLS = 'route!~"/(livez|readyz|metrics)"';

/** @type {DashboardDefinition} */
const overview = {
  file: 'overview',
  title: 'Tandem: overview',
  description: 'Whether the platform works: docs/operations.md',
  panels: [
    panel('Alerts that fire', 'short', [
      'count by (alertname) (ALERTS{alertstate="firing"}) or vector(0)',
      '{{alertname}}',
    ]),
    panel('Processes that answer', 'short', ['sum by (job) (up)', '{{job}}']),
    panel('Requests', 'reqps', ['job:http_requests:rate5m', '{{job}}']),
    panel('Requests that fail (5xx)', 'percentunit', ['job:http_errors:ratio_rate5m', '{{job}}']),
    panel('Time of requests, p99', 's', ['job:http_request_seconds:p99_5m', '{{job}}']),
    panel('Oldest event in an outbox', 's', ['max by (job) (events_outbox_oldest_seconds)', '{{job}}']),
    panel('Events to handle (lag)', 'short', ['job_topic:events_consumer_lag:max', '{{job}}: {{topic}}']),
    panel('Dead letters', 'short', ['max by (job, topic) (events_dead_letters)', '{{job}}: {{topic}}']),
    panel('Webhooks', 'ops', [rate('webhooks_received_total', 'integration, outcome'), '{{integration}}: {{outcome}}']),
    panel('Postbacks delivered', 'percentunit', ['endpoint:postback_success:ratio_rate5m', '{{endpoint}} endpoints']),
    panel('Oldest postback that is due', 's', ['max(postback_oldest_due_seconds)', 'oldest']),
    panel('Vendor calls that fail', 'percentunit', ['route:vendor_errors:ratio_rate5m', '{{route}}']),
    panel('Age of the catalog', 's', [
      'time() - max by (instance) (discovery_catalog_checked_seconds)',
      '{{instance}}',
    ]),
  ],
};

/** @type {DashboardDefinition} */
const postbacks = {
  file: 'postbacks',
  title: 'Tandem: postbacks',
  description: 'From sale.completed to the endpoints of partners',
  panels: [
    panel('Attempts by outcome', 'ops', [rate('postback_attempts_total', 'outcome'), '{{outcome}}']),
    panel('Delivered, by class of endpoint', 'percentunit', ['endpoint:postback_success:ratio_rate5m', '{{endpoint}}']),
    panel(
      'Time of attempts',
      's',
      [quantile(0.5, 'postback_attempt_seconds', 'endpoint'), 'p50 {{endpoint}}'],
      ['endpoint:postback_attempt_seconds:p99_5m', 'p99 {{endpoint}}'],
    ),
    panel(
      'Deliveries that are not delivered',
      'short',
      ['max(postback_deliveries_pending)', 'pending'],
      ['max(postback_deliveries_overdue)', 'overdue'],
      ['max(postback_deliveries_held)', 'held'],
      ['max(postback_deliveries_failed)', 'abandoned'],
    ),
    panel(
      'Age',
      's',
      ['max(postback_oldest_due_seconds)', 'due for'],
      ['max(postback_oldest_pending_seconds)', 'oldest pending'],
    ),
    panel('Disabled endpoints', 'short', ['max(postback_endpoints_disabled)', 'disabled']),
    panel('Shards of 64, by dispatcher', 'short', ['sum by (instance) (postback_shards_owned)', '{{instance}}']),
    panel(
      'In flight',
      'short',
      ['sum by (instance) (postback_requests_in_flight)', 'requests {{instance}}'],
      ['sum by (instance) (postback_endpoints_in_memory)', 'endpoints {{instance}}'],
    ),
    panel(
      'Results of attempts',
      'short',
      ['sum by (instance) (postback_results_pending)', 'to be stored {{instance}}'],
      [rate('postback_results_stored_total', 'instance'), 'stored a second {{instance}}'],
    ),
    panel('Sales to take over (lag)', 'short', [
      'job_topic:events_consumer_lag:max{job="postback-dispatcher"}',
      '{{topic}}',
    ]),
  ],
};

/** @type {DashboardDefinition} */
const identity = {
  file: 'identity',
  title: 'Tandem: identity protection',
  description: 'Requests of client apps, and the identity vendor behind them',
  panels: [
    panel('Requests by route', 'reqps', [
      rate(`${HTTP}_count`, 'route, status', `{job="idp-api",${CALLS}}`),
      '{{route}} {{status}}',
    ]),
    panel('Time of requests, p99', 's', [quantile(0.99, HTTP, 'route', `{job="idp-api",${CALLS}}`), '{{route}}']),
    panel('Vendor: calls', 'reqps', [rate(`${VENDOR}_count`, 'route, outcome'), '{{route}} {{outcome}}']),
    panel('Vendor: share that fails', 'percentunit', ['route:vendor_errors:ratio_rate5m', '{{route}}']),
    panel('Vendor: time, p99', 's', [quantile(0.99, VENDOR, 'route'), '{{route}}']),
    panel('Locked users', 'short', ['max by (lock) (identity_users_locked)', '{{lock}}']),
    panel('Users who cannot be reconciled', 'short', ['max(identity_reconciliations_failing)', 'failing']),
    panel('Wait for the vendor', 's', ['max(identity_reconciliation_overdue_seconds)', 'oldest']),
    panel('Events handled', 'ops', [
      rate('events_consumed_total', 'topic, outcome', '{job="idp-api"}'),
      '{{topic}} {{outcome}}',
    ]),
    panel('Requests of support', 'reqps', [
      rate(`${HTTP}_count`, 'route, status', `{job="idp-support",${CALLS}}`),
      '{{route}} {{status}}',
    ]),
    panel('Refused by rate limits', 'reqps', [
      rate('rate_limit_refused_total', 'policy', '{job="idp-api"}'),
      '{{policy}}',
    ]),
  ],
};

/** @type {DashboardDefinition} */
const intake = {
  file: 'intake',
  title: 'Tandem: intake',
  description: 'Webhooks of billing and of the identity vendor, and what becomes of them',
  panels: [
    panel('Webhooks of billing', 'ops', [
      rate('webhooks_received_total', 'outcome', '{integration="payments"}'),
      '{{outcome}}',
    ]),
    panel('Webhooks of the vendor', 'ops', [
      rate('webhooks_received_total', 'outcome', '{integration="array"}'),
      '{{outcome}}',
    ]),
    panel(
      'Time of requests',
      's',
      [quantile(0.5, HTTP, 'route', `{job="webhook-ingest",${CALLS}}`), 'p50 {{route}}'],
      [quantile(0.99, HTTP, 'route', `{job="webhook-ingest",${CALLS}}`), 'p99 {{route}}'],
    ),
    panel('Events published', 'ops', [rate('events_published_total', 'topic', '{job="webhook-ingest"}'), '{{topic}}']),
    panel('Outbox', 'short', ['max(events_outbox_pending{job="webhook-ingest"})', 'events']),
    panel('Oldest event in the outbox', 's', ['max(events_outbox_oldest_seconds{job="webhook-ingest"})', 'oldest']),
    panel('Events handled, by app', 'ops', [
      rate('events_consumed_total', 'job, topic', '{topic=~"payment.received|enrollment.sync|identity.event"}'),
      '{{job}}: {{topic}}',
    ]),
    panel('Events to handle (lag)', 'short', [
      'job_topic:events_consumer_lag:max{topic=~"payment.received|enrollment.sync|identity.event"}',
      '{{job}}: {{topic}}',
    ]),
    panel('Dead letters', 'short', ['max by (job, topic) (events_dead_letters)', '{{job}}: {{topic}}']),
  ],
};

/** @type {DashboardDefinition} */
const service = {
  file: 'service',
  title: 'Tandem: one app',
  description: 'Everything that an app shows',
  variables: [{ name: 'job', label: 'App', query: 'label_values(http_request_duration_seconds_count, job)' }],
  panels: [
    panel('Requests', 'reqps', [
      rate(`${HTTP}_count`, 'route, status', `{job="$job",${CALLS}}`),
      '{{route}} {{status}}',
    ]),
    panel(
      'Time of requests',
      's',
      [quantile(0.5, HTTP, 'job', `{job="$job",${CALLS}}`), 'p50'],
      [quantile(0.99, HTTP, 'job', `{job="$job",${CALLS}}`), 'p99'],
    ),
    panel('Refused by rate limits', 'reqps', [
      `${rate('rate_limit_refused_total', 'policy', '{job="$job"}')} or vector(0)`,
      '{{policy}}',
    ]),
    panel('CPU', 'percentunit', [rate('process_cpu_seconds_total', 'instance', '{job="$job"}'), '{{instance}}']),
    panel(
      'Memory',
      'bytes',
      ['process_resident_memory_bytes{job="$job"}', 'resident {{instance}}'],
      ['nodejs_heap_size_used_bytes{job="$job"}', 'heap {{instance}}'],
    ),
    panel('Event loop, p99 of its delay', 's', ['nodejs_eventloop_lag_p99_seconds{job="$job"} - 0.1', '{{instance}}']),
    panel(
      'Connections of the pool',
      'short',
      ['sum by (instance, state) (database_pool_connections{job="$job"})', '{{state}} {{instance}}'],
      ['max by (instance) (database_pool_connections_max{job="$job"})', 'allowed {{instance}}'],
      ['sum by (instance) (database_pool_waiting{job="$job"})', 'waiting {{instance}}'],
    ),
    panel('Longest wait for a lock', 's', ['max(database_lock_wait_seconds{job="$job"}) or vector(0)', 'wait']),
    panel('Outbox', 'short', ['max(events_outbox_pending{job="$job"}) or vector(0)', 'events']),
    panel('Events published', 'ops', [
      `${rate('events_published_total', 'topic', '{job="$job"}')} or vector(0)`,
      '{{topic}}',
    ]),
    panel('Events handled', 'ops', [
      `${rate('events_consumed_total', 'topic, outcome', '{job="$job"}')} or vector(0)`,
      '{{topic}} {{outcome}}',
    ]),
    panel('Events to handle (lag)', 'short', [
      'job_topic:events_consumer_lag:max{job="$job"} or vector(0)',
      '{{topic}}',
    ]),
    panel('Time of handlers, p99', 's', [
      `${quantile(0.99, 'events_handler_seconds', 'topic', '{job="$job"}')} or vector(0)`,
      '{{topic}}',
    ]),
    panel('Failed attempts of handlers', 'ops', [
      `${rate('events_handler_failures_total', 'topic, kind', '{job="$job"}')} or vector(0)`,
      '{{topic}} {{kind}}',
    ]),
    panel('Time since the bus last answered', 's', [
      'max by (instance) (events_consumer_silent_seconds{job="$job"}) or vector(0)',
      '{{instance}}',
    ]),
  ],
};

export const DASHBOARDS = [overview, postbacks, identity, intake, service];
