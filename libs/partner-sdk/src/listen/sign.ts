import { hmacOf, keysOf } from '../postback/signing-keys.ts';

/**
 * Returns the signing secret of a listener for which none was configured. The secret is derived from the token, so the secret is the same after
 * each start. The platform never signs with this secret, and the token cannot be derived from it.
 */
export async function secretOfListener(token: string): Promise<string> {
  const encode = (text: string) => new TextEncoder().encode(text);
  return `whsec_${await hmacOf(encode(token), encode('tandem-partner listen'))}`;
}

/**
 * Returns the headers that sign one attempt, as the platform signs it (https://www.standardwebhooks.com). Each secret adds a signature.
 *
 * @throws TypeError when a secret is not `whsec_` and base64 of 24 to 64 bytes, or when there is no secret
 */
export async function signatureHeaders(
  { id, body, at }: { readonly id: string; readonly body: string; readonly at: Date },
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const data = new TextEncoder().encode(`${id}.${seconds}.${body}`);
  const signatures = [];
  for (const key of keysOf(secrets)) signatures.push(`v1,${await hmacOf(key, data)}`);
  return { 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}
