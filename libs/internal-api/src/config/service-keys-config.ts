import { parseServicePrivateKey, type ServiceKey, ServicePublicKeys } from '@tandem/auth';
import { type Constructor, NeededWhen, ParsedSecret, SecretList } from '@tandem/service-defaults';
import { IsOptional } from 'class-validator';
import type { CalledApp } from './callers';

interface SharedSecrets {
  /**
   * Comma list of shared secrets. They are set only during the upgrade from a release in which apps had no keys of their own. An app
   * without a private key signs its calls with the first secret. An app accepts calls that are signed with any of these secrets.
   */
  INTERNAL_TOKEN_SECRETS?: string[];
}

/** The settings of an app that calls other apps: the key with which it signs its calls. */
export interface CallingSettings extends SharedSecrets {
  SERVICE_PRIVATE_KEY?: ServiceKey;
}

/** The settings of an app that other apps or the operator call: the keys of the callers that it accepts. */
export interface CalledSettings extends SharedSecrets {
  SERVICE_PUBLIC_KEYS?: ServicePublicKeys;
}

const hasNoSecret = ({ INTERNAL_TOKEN_SECRETS }: SharedSecrets): boolean => INTERNAL_TOKEN_SECRETS === undefined;

function WithSharedSecrets<B extends Constructor>(Base: B): B & Constructor<SharedSecrets> {
  class SharedSecretsConfig extends Base {
    @IsOptional()
    @SecretList()
    INTERNAL_TOKEN_SECRETS?: string[];
  }
  return SharedSecretsConfig;
}

/** Adds the settings of an app that calls other apps: SERVICE_PRIVATE_KEY and INTERNAL_TOKEN_SECRETS, one of which is required. */
export function WithCalls<B extends Constructor>(Base: B): B & Constructor<CallingSettings> {
  class CallingConfig extends WithSharedSecrets(Base) {
    /** The app's own key, which no other app has. */
    @NeededWhen<CallingSettings>(hasNoSecret, 'the app calls other apps')
    @ParsedSecret(parseServicePrivateKey, 'must be an Ed25519 private key: PKCS #8 as PEM, or its base64 alone')
    SERVICE_PRIVATE_KEY?: ServiceKey;
  }
  return CallingConfig;
}

/**
 * Adds the settings of an app that others call: SERVICE_PUBLIC_KEYS, with a key of each caller that the table of apps lists, and
 * INTERNAL_TOKEN_SECRETS. One of the two is required.
 *
 * @param app the app's row in that table
 */
export function WithCallers<B extends Constructor>(Base: B, app: CalledApp): B & Constructor<CalledSettings> {
  const callers = Object.keys(app.callers ?? {});
  const parse = (text: string): ServicePublicKeys => {
    const keys = new ServicePublicKeys(text);
    // During a roll-out, there may also be keys of other callers, from the previous or the next release. No route admits these
    // callers.
    if (!callers.every((caller) => keys.callers.includes(caller))) throw new Error('a caller has no key');
    return keys;
  };
  class CalledConfig extends WithSharedSecrets(Base) {
    /** Comma list of `<caller>:<key>`; a caller that rotates its key has two entries. */
    @NeededWhen<CalledSettings>(hasNoSecret, `${callers.join(' and ')} may call the app`)
    @ParsedSecret(
      parse,
      `must be a comma-separated list of <caller>:<Ed25519 public key, base64>, with a key of ${callers.join(' and ')}`,
    )
    SERVICE_PUBLIC_KEYS?: ServicePublicKeys;
  }
  return CalledConfig;
}
