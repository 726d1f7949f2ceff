/**
 * Shifts the wall clock of a process by CLOCK_SHIFT_MS: ahead, or behind when negative. Timers and monotonic clocks are
 * unchanged, as on a machine whose clock is set wrongly. `--require` loads this file before all other code.
 */
const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: unknown[], newTarget: new () => object) =>
    Reflect.construct(target, values.length === 0 ? [target.now() + shiftMs] : values, newTarget) as object,
  apply: (target) => new target(target.now() + shiftMs).toString(),
  get: (target, name) => (name === 'now' ? () => target.now() + shiftMs : (Reflect.get(target, name) as unknown)),
});
RealDate.prototype.constructor = globalThis.Date;
