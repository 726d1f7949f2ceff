/** The caller is authenticated but lacks a right that the operation needs. */
export class PermissionDeniedError extends Error {
  readonly code = 'permission_denied';
}
