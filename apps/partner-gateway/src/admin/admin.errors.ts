/** The caller is known, and lacks a right that the operation needs. */
export class PermissionDeniedError extends Error {
  readonly code = 'permission_denied';
}
