/** Escapes control characters, so that a text of an endpoint or of the platform cannot control the terminal. Ends of lines are escaped too. */
export const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
