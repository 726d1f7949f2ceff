const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * Returns a name if it has the form of `parcel-tracking`.
 *
 * @throws UsageError for any other form
 * @param {string | undefined} name
 * @param {string} what  describes the name in the error
 */
export function checkName(name, what) {
  if (!name || !KEBAB.test(name)) throw new UsageError(`${what} must be like parcel-tracking, not "${name ?? ''}"`);
  return name;
}

/**
 * Splits the name of a topic, such as `parcel.created`, or `parcel.created.v2` for a topic that replaces `parcel.created`.
 *
 * @throws UsageError for any other form
 * @param {string | undefined} topic
 * @returns {[entity: string, happened: string, version?: string]}
 */
export function topicParts(topic) {
  const [entity, happened, version, ...more] = (topic ?? '').split('.');
  if (happened === undefined || more.length > 0 || !/^v([2-9]|[1-9]\d+)$/.test(version ?? 'v2'))
    throw new UsageError(`the topic must be like parcel.created or parcel.created.v2, not "${topic ?? ''}"`);
  for (const part of [entity, happened]) checkName(part, 'each part of the topic');
  return version === undefined ? [entity, happened] : [entity, happened, version];
}

/** Thrown for a mistake in the arguments of a command. */
export class UsageError extends Error {}

/** Converts `parcel-label` to `ParcelLabel`. @param {string} name */
export const pascal = (name) => name.replace(/(^|[-.])(\w)/g, (_, __, letter) => letter.toUpperCase());

/** Converts `parcel-label` to `parcel_label`. @param {string} name */
export const snake = (name) => name.replace(/[-.]/g, '_');

/** Converts `parcel-label` to `PARCEL_LABEL`. @param {string} name */
export const constant = (name) => snake(name).toUpperCase();

/** Converts `parcel-label` to `Parcel label`. @param {string} name */
export const sentence = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
