import { v5 } from 'uuid';

/** The namespace of this app. Do not change it: with another namespace, every user would get another key at the vendor. */
const NAMESPACE = '5b1f3f6e-2d8e-4c6a-9a54-d0f6c2b7e918';

/**
 * Returns a user's key at the vendor: the UUIDv5 (RFC 9562) of the KRN. The key depends only on the KRN, so a creation of a profile that is
 * repeated after a crash uses the same user at the vendor.
 */
export const arrayUserIdOf = (krn: string): string => v5(krn, NAMESPACE);
