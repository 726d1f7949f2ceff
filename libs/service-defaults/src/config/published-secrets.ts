/**
 * The secrets that docker-compose.yml, .env.example and k8s/overlays/local publish for development, without key ids, the prefix `whsec_` and
 * the padding of base64. A test reads those files and fails for each secret that this list lacks.
 */
const PUBLISHED: ReadonlySet<string> = new Set([
  'admin',
  'development-only',
  'development-only-app-key',
  'development-only-internal-token-secret',
  'development-only-server-token',
  'postgres',
  // The base64 of 'development-only-key-…'.
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktY2hlY2tvdXQtLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktY291cG9uLS0tLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktY3Vyc29ycy0tLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktYXJyYXktLS0tLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktYXJyYXktMi0tLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktZW1haWwtLS0tLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktaW5nZXN0LS0tLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktaWRwLS0tLS0tLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktcG9zdGJhY2stLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktcGF5bWVudHMtLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktcGF5bWVudHMtMi0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktcGFydG5lci0tLS0',
  'ZGV2ZWxvcG1lbnQtb25seS1rZXktcHJvZmlsZS0tLS0',
  // Private keys for calls between apps, and their public keys: an app with such a public key admits everybody who has the repository.
  'MC4CAQAwBQYDK2VwBCIEIGRldmVsb3BtZW50LW9ubHkta2V5LWdhdGV3YXktLS0t',
  'MC4CAQAwBQYDK2VwBCIEIGRldmVsb3BtZW50LW9ubHkta2V5LXN1cHBvcnQtLS0t',
  'MC4CAQAwBQYDK2VwBCIEIGRldmVsb3BtZW50LW9ubHkta2V5LW9wZXJhdG9yLS0t',
  'MCowBQYDK2VwAyEA0ktRxXJnyH2ZBPm8ekZmMDZTYFflMBSHe54Q1UWAyko',
  'MCowBQYDK2VwAyEAJvrCy6CD+KfCkqHc0Jb7j0hCpmpuFCH1LFGuWB7Ec4o',
  'MCowBQYDK2VwAyEA+BZwAZYn8/lvAl/3V3t6TdYHLRyU3PVr7jcGcEOTKOY',
]);

/** A key of zeros: in base64, or as digits. */
const ZEROS = /^(A+|0+)$/;

/**
 * Returns what is wrong with the secrets of a setting; undefined if nothing is.
 *
 * @param text the variable's text: one secret or a comma-separated list
 */
export function secretProblem(text: string): string | undefined {
  const secrets = secretsIn(text);
  if (secrets.some((secret) => PUBLISHED.has(secret)))
    return 'holds a secret that docker-compose.yml, .env.example or k8s/overlays/local publishes for development';
  return secrets.some((secret) => ZEROS.test(secret)) ? 'holds a key of zeros' : undefined;
}

/** Returns the secrets without key ids, the prefix `whsec_` and the padding of base64; for the URL of a database, its password. */
const secretsIn = (text: string): string[] =>
  (URL.canParse(text) && /^postgres(ql)?:/.test(text) ? [decoded(new URL(text).password)] : text.split(','))
    .map((entry) =>
      entry
        .trim()
        .replace(/^[A-Za-z0-9_-]{1,32}:/, '')
        .replace(/^whsec_/, '')
        .replace(/=+$/, ''),
    )
    .filter((secret) => secret !== '');

/** Returns a password without percent-encoding, or unchanged if its percent-encoding is invalid. */
function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
