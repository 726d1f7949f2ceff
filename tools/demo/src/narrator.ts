import { inspect, isDeepStrictEqual } from 'node:util';

/** Thrown when a check of the demo fails. */
export class CheckFailedError extends Error {}

const paint = (code: number, text: string): string => (process.stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);

/** Prints the story: its chapters, requests and answers, and each check. */
export class Narrator {
  private chapters = 0;
  private passed = 0;

  constructor(private readonly print: (line: string) => void) {}

  /** The number of checks that passed. */
  get checks(): number {
    return this.passed;
  }

  chapter(title: string): void {
    this.print('');
    this.print(paint(1, `${++this.chapters}. ${title}`));
  }

  note(text: string): void {
    this.print(`   ${text}`);
  }

  sent(text: string, body?: unknown): void {
    this.print(`   → ${text}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`);
  }

  received(text: string, body?: unknown): void {
    this.print(`   ← ${text}${body === undefined ? '' : ` ${typeof body === 'string' ? body : JSON.stringify(body)}`}`);
  }

  /** Prints a check, and counts it if the condition holds. @throws CheckFailedError when the condition does not hold */
  check(what: string, holds: boolean, found?: unknown): void {
    if (!holds) {
      this.print(paint(31, `   ✗ ${what}`));
      throw new CheckFailedError(
        found === undefined ? what : `${what}; found: ${inspect(found, { depth: 6, breakLength: 120 })}`,
      );
    }
    this.passed += 1;
    this.print(paint(32, `   ✓ ${what}`));
  }

  /** Checks that two values are equal, in type and content. */
  equal(what: string, found: unknown, expected: unknown): void {
    this.check(what, isDeepStrictEqual(found, expected), found);
  }
}
