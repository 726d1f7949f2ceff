/**
 * The part of Grafana's dashboard model (schema version 39) that our dashboards use.
 *
 * @typedef {'reqps' | 'percentunit' | 's' | 'short' | 'bytes' | 'ops'} Unit  a unit of Grafana
 * @typedef {readonly [expr: string, legend: string]} Query  PromQL, and the name of each series
 * @typedef {{ title: string, unit: Unit, queries: readonly Query[], description?: string }} PanelDefinition
 * @typedef {{ name: string, label: string, query: string }} VariableDefinition  `query` has the form label_values(…)
 * @typedef {{ file: string, title: string, description: string, variables?: readonly VariableDefinition[],
 *   panels: readonly PanelDefinition[] }} DashboardDefinition
 */

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 3;
const WIDTH = 24 / COLUMNS;
const HEIGHT = 8;

/** @param {PanelDefinition} definition @param {number} index its position, counted from the top left */
const panelOf = ({ title, unit, queries, description = '' }, index) => ({
  id: index + 1,
  type: 'timeseries',
  title,
  description,
  datasource: DATASOURCE,
  gridPos: { x: (index % COLUMNS) * WIDTH, y: Math.floor(index / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
  fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: 'never' } }, overrides: [] },
  options: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  targets: queries.map(([expr, legendFormat], place) => ({
    refId: String.fromCharCode(65 + place),
    datasource: DATASOURCE,
    editorMode: 'code',
    expr,
    legendFormat,
    range: true,
  })),
});

/** @param {VariableDefinition} definition */
const variableOf = ({ name, label, query }) => ({
  type: 'query',
  name,
  label,
  datasource: DATASOURCE,
  definition: query,
  query: { query, refId: 'variable' },
  refresh: 2,
  sort: 1,
});

/**
 * Returns the JSON of a dashboard as Grafana imports and provisions it.
 *
 * @param {DashboardDefinition} definition
 */
export const dashboardOf = ({ file, title, description, variables = [], panels }) => ({
  uid: `tandem-${file}`,
  title,
  description,
  tags: ['tandem'],
  schemaVersion: 39,
  version: 1,
  editable: true,
  graphTooltip: 1,
  timezone: 'browser',
  time: { from: 'now-1h', to: 'now' },
  refresh: '30s',
  templating: {
    list: [
      { type: 'datasource', name: 'datasource', label: 'Prometheus', query: 'prometheus', refresh: 1 },
      ...variables.map(variableOf),
    ],
  },
  annotations: { list: [] },
  links: [{ type: 'dashboards', title: 'Tandem', tags: ['tandem'], asDropdown: true, keepTime: true }],
  panels: panels.map(panelOf),
});
