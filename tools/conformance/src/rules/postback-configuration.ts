import { rule, type Section } from './rule';

/** The target of postbacks, and its credentials. */
export const POSTBACK_CONFIGURATION: Section = {
  title: 'The postback configuration',
  rules: [
    rule('postback.create', '`POST {"url","authMethod":"Bearer"|"Basic","key"}`: 201 created, 200 updated.'),
    rule('postback.key-kept', 'In later requests `key` may be omitted to keep it.'),
    rule('postback.key-needed', 'A changed `authMethod` needs a key.'),
    rule('postback.https', 'Production accepts only https.'),
    rule('postback.url-form', 'At most 2048 characters, no userinfo, no fragment.'),
    rule(
      'postback.public-addresses',
      'Only globally reachable unicast addresses by the IANA registries, checked when saved and when dialled.',
    ),
    rule('postback.loopback', '`POSTBACK_ALLOW_LOOPBACK` allows loopback in development, and nothing else.'),
    rule(
      'postback.allowed-networks',
      '`POSTBACK_ALLOWED_NETWORKS` allows its networks in development, and nothing else; production refuses the setting.',
    ),
    rule('postback.unresolved', 'A name that does not resolve when saved is 422.'),
    rule('postback.environments', 'Test and live have separate configurations.'),
    rule('postback.kind', 'Only promotion partners have one; others get 403 `integration_kind_mismatch`.'),
    rule('postback.basic-key', 'A Basic key is `user:password`: UTF-8, no control characters, user not empty.'),
    rule('postback.basic-encoded', 'It is base64-encoded on the wire.'),
    rule('postback.bearer-key', 'A Bearer key is 1–512 visible ASCII characters.'),
    rule(
      'postback.view',
      '`GET` answers `{"url","authMethod","hasKey","status","disabledReason"?,"signingEnabled","notifyClosures","pausedUntil","createdAt","updatedAt"}`.',
    ),
    rule('postback.key-never-back', 'The key is never returned, and is encrypted at rest.'),
    rule('postback.signing-secret', 'The signing secret `whsec_…` is shown once, in the creation’s answer.'),
    rule('postback.rotate', '`POST /partner/postback/signing-secret` creates a new signing secret.'),
    rule('postback.rotate-overlap', 'After a rotation both secrets sign for 24 h, then only the new one.'),
  ],
};
