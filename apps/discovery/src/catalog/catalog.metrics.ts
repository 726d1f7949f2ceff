import { Gauge, register } from 'prom-client';

/**
 * Returns the gauge with this name, and registers it if necessary. The gauge may already be registered, because the registry belongs to the
 * process, and tests start several apps in one process.
 */
const gauge = (name: string, help: string): Gauge =>
  (register.getSingleMetric(name) as Gauge | undefined) ?? new Gauge({ name, help });

/** Sets the gauges that show how current this replica's catalog is. */
export const observeCatalog = {
  /** Called after each successful poll: this replica then serves the current version. */
  checked: (): void =>
    gauge(
      'discovery_catalog_checked_seconds',
      'Unix time when the app last confirmed that its catalog is the current one',
    ).setToCurrentTime(),
  /** Called when a catalog was loaded. @param changedAt when the tables last changed */
  loaded: (changedAt: Date): void =>
    gauge('discovery_catalog_changed_seconds', 'Unix time of the last change that is served').set(
      changedAt.getTime() / 1000,
    ),
};
