import { v5 } from 'uuid';

/** Our own namespace. Do not change it: another namespace would give every user another key at the vendor. */
const NAMESPACE = '5b1f3f6e-2d8e-4c6a-9a54-d0f6c2b7e918';

/**
 * A user's key at the vendor: the UUIDv5 (RFC 9562) of its KRN. A create that is repeated after a crash finds the same user at the vendor.
 */
export const arrayUserIdOf = (krn: string): string => v5(krn, NAMESPACE);
