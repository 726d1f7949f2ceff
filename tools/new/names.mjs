const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** @throws for a name that is not like `parcel-tracking` @param {string | undefined} name @param {string} what */
export function checkName(name, what) {
  if (!name || !KEBAB.test(name)) throw new UsageError(`${what} must be like parcel-tracking, not "${name ?? ''}"`);
  return name;
}

/** A mistake in the arguments of a command. */
export class UsageError extends Error {}

/** `parcel-label` → `ParcelLabel` @param {string} name */
export const pascal = (name) => name.replace(/(^|[-.])(\w)/g, (_, __, letter) => letter.toUpperCase());

/** `parcel-label` → `parcel_label` @param {string} name */
export const snake = (name) => name.replace(/[-.]/g, '_');

/** `parcel-label` → `PARCEL_LABEL` @param {string} name */
export const constant = (name) => snake(name).toUpperCase();
