import { Gauge, register } from 'prom-client';

/** The registry is shared by the process, and tests start several apps in one process. */
const gauge = (name: string, help: string): Gauge =>
  (register.getSingleMetric(name) as Gauge | undefined) ?? new Gauge({ name, help });

/** Measures how old the catalog that this replica serves can be. */
export const observeCatalog = {
  /** The version of the tables was read, and equals the served one. */
  checked: (): void =>
    gauge(
      'discovery_catalog_checked_seconds',
      'Unix time when the catalog was last seen to be the current one',
    ).setToCurrentTime(),
  /** @param changedAt when the tables got the content that is served now */
  loaded: (changedAt: Date): void =>
    gauge('discovery_catalog_changed_seconds', 'Unix time of the last change that is served').set(
      changedAt.getTime() / 1000,
    ),
};
