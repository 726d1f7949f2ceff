import { rule, type Section } from './rule';

/** The endpoint of a partner, and its credentials. */
export const POSTBACK_CONFIGURATION: Section = {
  title: 'The postback configuration',
  rules: [
    rule(
      'postback.create',
      '`POST {"url","authMethod":"Bearer"|"Basic","key"}` answers 201 when it creates the configuration, and 200 when it updates it.',
    ),
    rule('postback.key-kept', 'A later `POST` without `key` keeps the stored key.'),
    rule('postback.key-needed', 'A `POST` that changes `authMethod` requires a `key`.'),
    rule('postback.https', 'In production only https URLs are accepted.'),
    rule('postback.url-form', 'A URL has at most 2048 characters, no userinfo and no fragment.'),
    rule(
      'postback.public-addresses',
      'A URL must resolve only to globally reachable unicast addresses according to the IANA registries. This is checked when the URL is saved and before each connection.',
    ),
    rule(
      'postback.loopback',
      '`POSTBACK_ALLOW_LOOPBACK` allows loopback addresses in development, and no other addresses.',
    ),
    rule(
      'postback.allowed-networks',
      '`POSTBACK_ALLOWED_NETWORKS` allows the listed networks in development, and no others; production refuses the setting.',
    ),
    rule('postback.unresolved', 'A `POST` with a URL whose host name does not resolve gets 422.'),
    rule('postback.environments', 'Test and live have separate configurations.'),
    rule(
      'postback.kind',
      'Only promotion partners have a postback configuration; voucher partners get 403 `integration_kind_mismatch`.',
    ),
    rule(
      'postback.basic-key',
      'A Basic key is `user:password` in UTF-8, without control characters, with a user that is not empty.',
    ),
    rule('postback.basic-encoded', 'In a postback a Basic key is base64-encoded.'),
    rule('postback.bearer-key', 'A Bearer key is 1–512 visible ASCII characters.'),
    rule(
      'postback.view',
      '`GET` answers `{"url","authMethod","hasKey","status","disabledReason"?,"signingEnabled","notifyClosures","pausedUntil","createdAt","updatedAt"}`.',
    ),
    rule('postback.key-never-back', 'The key is never returned, and is encrypted at rest.'),
    rule('postback.signing-secret', 'The signing secret `whsec_…` is shown once, in the answer to the creation.'),
    rule('postback.rotate', '`POST /partner/postback/signing-secret` creates a new signing secret.'),
    rule(
      'postback.rotate-overlap',
      'For 24 h after a rotation, both the old and the new secret sign; after that, only the new secret signs.',
    ),
  ],
};
