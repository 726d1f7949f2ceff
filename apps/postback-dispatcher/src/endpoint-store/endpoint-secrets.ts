import { FieldCipher } from '@tandem/database';
import type { EndpointTarget } from '../attempt/attempt.rules';
import type { Endpoint } from './endpoint.entity';
import type { PreviousSecret } from './endpoint.rules';

type SecretField = 'key' | 'signing-secret' | 'previous-secrets';

/**
 * Encrypts and decrypts the secret fields of configurations. An encrypted value can be decrypted only for the row and field for which it
 * was encrypted.
 */
export class EndpointSecrets {
  constructor(private readonly cipher: FieldCipher) {}

  encrypt(endpointId: string, field: SecretField, value: string): string {
    return this.cipher.encrypt(value, binding(endpointId, field));
  }

  encryptPrevious(endpointId: string, secrets: readonly PreviousSecret[]): string {
    return this.encrypt(endpointId, 'previous-secrets', JSON.stringify(secrets));
  }

  signingSecretOf(endpoint: Endpoint): string {
    return this.cipher.decrypt(endpoint.signingSecretEncrypted, binding(endpoint.id, 'signing-secret'));
  }

  previousSecretsOf(endpoint: Endpoint): PreviousSecret[] {
    if (endpoint.previousSecretsEncrypted === null) return [];
    const text = this.cipher.decrypt(endpoint.previousSecretsEncrypted, binding(endpoint.id, 'previous-secrets'));
    return JSON.parse(text) as PreviousSecret[];
  }

  /** Returns the URL and the credentials that an attempt needs, in clear text. */
  targetOf(endpoint: Endpoint): EndpointTarget {
    return {
      url: endpoint.url,
      authMethod: endpoint.authMethod,
      key: this.cipher.decrypt(endpoint.keyEncrypted, binding(endpoint.id, 'key')),
      signingSecrets: [{ secret: this.signingSecretOf(endpoint), until: null }, ...this.previousSecretsOf(endpoint)],
    };
  }
}

const binding = (endpointId: string, field: SecretField): string => `endpoint:${endpointId}:${field}`;
