import { Gauge, register } from 'prom-client';

/** One registry for a process: tests start several apps in one. */
const gauge = (name: string, help: string): Gauge =>
  (register.getSingleMetric(name) as Gauge | undefined) ?? new Gauge({ name, help });

/** Tells how old what this replica serves can be. */
export const observeCatalog = {
  /** The version of the tables was seen, and is the one that is served. */
  checked: (): void =>
    gauge(
      'discovery_catalog_checked_seconds',
      'Unix time when the catalog was last seen to be the current one',
    ).setToCurrentTime(),
  /** @param changedAt when the tables were changed to what is served now */
  loaded: (changedAt: Date): void =>
    gauge('discovery_catalog_changed_seconds', 'Unix time of the last change that is served').set(
      changedAt.getTime() / 1000,
    ),
};
