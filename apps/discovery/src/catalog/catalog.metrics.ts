import { Gauge, register } from 'prom-client';

/** Returns a gauge, which may already be registered: the registry belongs to the process, and tests start several apps in one process. */
const gauge = (name: string, help: string): Gauge =>
  (register.getSingleMetric(name) as Gauge | undefined) ?? new Gauge({ name, help });

/** Measures how old the catalog that this replica serves can be. */
export const observeCatalog = {
  /** Called when the version of the tables was read, and is the version that is served. */
  checked: (): void =>
    gauge(
      'discovery_catalog_checked_seconds',
      'Unix time when the catalog was last seen to be the current one',
    ).setToCurrentTime(),
  /** Called when a catalog was loaded. @param changedAt when the tables got this content */
  loaded: (changedAt: Date): void =>
    gauge('discovery_catalog_changed_seconds', 'Unix time of the last change that is served').set(
      changedAt.getTime() / 1000,
    ),
};
