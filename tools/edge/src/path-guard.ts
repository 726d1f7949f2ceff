/** Returns whether the percent-encoding of a request's path is valid. */
export const isDecodable = (url: string): boolean => decode(url.split(/[?#]/, 1)[0] ?? '') !== null;

/**
 * Returns true if the edge and the apps certainly resolve a request's path in the same way. The edge refuses all other
 * paths: if only the app resolved a dot segment, for example, a request from outside could reach an internal route. The
 * edge refuses a path that
 * - does not begin with a slash
 * - contains a dot segment or a control character, plain or encoded
 * - contains a plain backslash or an invalid percent code
 * - contains an empty segment that is not the last one
 */
export function isPlainPath(url: string): boolean {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  if (!path.startsWith('/') || path.includes('\\')) return false;
  const segments = path.slice(1).split('/');
  return segments.every((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '') return isLast;
    const text = decode(segment);
    // A segment may be an id with an encoded slash. No part around the slash may be a dot segment or contain a control character.
    return text !== null && text.split(/[/\\]/).every((part) => part !== '.' && part !== '..' && !hasControl(part));
  });
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

// eslint-disable-next-line no-control-regex
const hasControl = (text: string): boolean => /[\u0000-\u001f\u007f]/.test(text);
