import { rule, type Section } from './rule';

/** Where postbacks go, and with which credentials. */
export const POSTBACK_CONFIGURATION: Section = {
  title: 'The postback configuration',
  rules: [
    rule('postback.create', '`POST {"url","authMethod":"Bearer"|"Basic","key"}`: 201 created, 200 updated.'),
    rule('postback.key-kept', 'Later `key` may be left out to keep it.'),
    rule('postback.key-needed', 'A changed `authMethod` needs a key.'),
    rule('postback.https', 'https only in production.'),
    rule('postback.url-form', 'At most 2048 characters, no userinfo, no fragment.'),
    rule(
      'postback.public-addresses',
      'Only globally reachable unicast addresses by the IANA registries, checked when saved and when dialled.',
    ),
    rule('postback.loopback', 'Development allows loopback by `POSTBACK_ALLOW_LOOPBACK`, and nothing else.'),
    rule(
      'postback.allowed-networks',
      'Development allows the networks of `POSTBACK_ALLOWED_NETWORKS`, and nothing else; production refuses the setting.',
    ),
    rule('postback.unresolved', 'A name that does not resolve when saved is 422.'),
    rule('postback.environments', 'Test and live have a configuration each.'),
    rule('postback.kind', 'Only promotion partners have one; others get 403 `integration_kind_mismatch`.'),
    rule('postback.basic-key', 'A Basic key is `user:password`: UTF-8, no control characters, user not empty.'),
    rule('postback.basic-encoded', 'It is base64-encoded on the wire.'),
    rule('postback.bearer-key', 'A Bearer key is 1–512 visible ASCII characters.'),
    rule(
      'postback.view',
      '`GET` answers `{"url","authMethod","hasKey","status","disabledReason"?,"signingEnabled","createdAt","updatedAt"}`.',
    ),
    rule('postback.key-never-back', 'The key never comes back, and is encrypted at rest.'),
    rule('postback.signing-secret', 'The signing secret `whsec_…` is shown once, in the creation’s answer.'),
    rule('postback.rotate', '`POST /partner/postback/signing-secret` gives a new signing secret.'),
    rule('postback.rotate-overlap', 'After a rotation both secrets sign for 24 h, then the new one only.'),
  ],
};
