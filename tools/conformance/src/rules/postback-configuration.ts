import { rule, type Section } from './rule';

const config = (title: string): string =>
  `postback-dispatcher/test/configuration.int.spec.ts › the postback configuration › ${title}`;
const gateway = (title: string): string =>
  `partner-gateway/test/postback-configuration.int.spec.ts › /partner/postback › ${title}`;
const ssrf = (title: string): string => `ssrf-table.spec.ts › the SSRF guard › ${title}`;
const key = (title: string): string => `endpoint.rules.spec.ts › ${title}`;

/** Where postbacks go, and with which credentials. */
export const POSTBACK_CONFIGURATION: Section = {
  title: 'The postback configuration',
  rules: [
    rule(
      'postback.create',
      '`POST {"url","authMethod":"Bearer"|"Basic","key"}`: 201 created, 200 updated.',
      config('is created with 201 and a signing secret, and shown without the key'),
      config('is changed with 200, without a signing secret'),
      gateway('POST › answers %i as the dispatcher does'),
    ),
    rule(
      'postback.key-kept',
      'Later `key` may be left out to keep it.',
      config('keeps the key when it is %s later'),
      key('leaving the key out › keeps the key of the same method'),
    ),
    rule(
      'postback.key-needed',
      'A changed `authMethod` needs a key.',
      config('needs a key when the method changes'),
      key('leaving the key out › is refused when the method changes'),
    ),
    rule(
      'postback.https',
      'https only in production.',
      ssrf('the form of a URL › with %s is refused'),
      ssrf('the form of a URL › with %s is accepted'),
    ),
    rule(
      'postback.url-form',
      'At most 2048 characters, no userinfo, no fragment.',
      config('refuses %s: %s'),
      ssrf('the form of a URL › with %s is refused'),
    ),
    rule(
      'postback.public-addresses',
      'Only globally reachable unicast addresses by the IANA registries, checked when saved and when dialled.',
      ssrf('%s › is refused on save'),
      ssrf('%s › is refused at dial, without a connection'),
      ssrf('a name that resolves to %s › is refused on save'),
      ssrf('a name that resolves to %s › is refused at dial'),
      ssrf('refuses at dial a name that was public on save and is private by then'),
      ssrf('looks a name up once for a connection, and dials the address that was checked'),
    ),
    rule(
      'postback.loopback',
      'Development allows loopback by `POSTBACK_ALLOW_LOOPBACK`, and nothing else.',
      ssrf('with loopback allowed for development › accepts %s'),
      ssrf('with loopback allowed for development › still refuses %s'),
    ),
    rule(
      'postback.unresolved',
      'A name that does not resolve when saved is 422.',
      ssrf('refuses a name that does not resolve'),
      config('refuses %s: %s'),
    ),
    rule('postback.environments', 'Test and live have a configuration each.', config('is one for each environment')),
    rule(
      'postback.kind',
      'Only promotion partners have one; others get 403 `integration_kind_mismatch`.',
      'partner-tokens.int.spec.ts › * › %s %s is not for voucher partners, whatever their scopes',
    ),
    rule(
      'postback.basic-key',
      'A Basic key is `user:password`: UTF-8, no control characters, user not empty.',
      key('a Basic key › may be %s'),
      key('a Basic key › may not be %s'),
    ),
    rule(
      'postback.basic-encoded',
      'It is base64-encoded on the wire.',
      'attempt.int.spec.ts › one attempt › sends Basic keys in base64 of their UTF-8',
    ),
    rule(
      'postback.bearer-key',
      'A Bearer key is 1–512 visible ASCII characters.',
      key('a Bearer key › may be %s'),
      key('a Bearer key › may not be %s'),
    ),
    rule(
      'postback.view',
      '`GET` answers `{"url","authMethod","hasKey","status","disabledReason"?,"signingEnabled","createdAt","updatedAt"}`.',
      config('is created with 201 and a signing secret, and shown without the key'),
      'retry-sale.int.spec.ts › * › disables the configuration when the endpoint is gone, and holds what was not sent',
    ),
    rule(
      'postback.key-never-back',
      'The key never comes back, and is encrypted at rest.',
      config('is created with 201 and a signing secret, and shown without the key'),
      config('is stored with the key and the signing secret encrypted'),
      "attempt.int.spec.ts › one attempt › never keeps the partner's key when the endpoint echoes it",
    ),
    rule(
      'postback.signing-secret',
      'The signing secret `whsec_…` is shown once, in the creation’s answer.',
      config('is created with 201 and a signing secret, and shown without the key'),
      config('is changed with 200, without a signing secret'),
    ),
    rule(
      'postback.rotate',
      '`POST /partner/postback/signing-secret` gives a new signing secret.',
      config('gets a new signing secret by rotation, and the partner must have a configuration for it'),
      'postback-deliveries.int.spec.ts › the delivery log of a partner › %s /partner/postback%s › asks for the partner and the environment of the token, by a service token',
    ),
    rule(
      'postback.rotate-overlap',
      'After a rotation both secrets sign for 24 h, then the new one only.',
      'retry-sale.int.spec.ts › * › is signed with both secrets after a rotation',
      'signing-overlap.int.spec.ts › * › is signed with the new secret only when the overlap is over',
      'endpoint.rules.spec.ts › rotating the signing secret › keeps those that still sign, the newest first, and drops those that are over',
    ),
  ],
};
