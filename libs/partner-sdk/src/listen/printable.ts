/**
 * Escapes control characters, including ends of lines, so that a text from an endpoint or the platform cannot control the terminal.
 *
 * @internal used by the commands of this repository too
 */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Escapes the control characters of a text except its ends of lines. @internal used by the commands of this repository too */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
