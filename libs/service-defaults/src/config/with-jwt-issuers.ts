import { applyDecorators } from '@nestjs/common';
import { IsDefined, IsString, MinLength } from 'class-validator';
import type { Constructor } from './config-parts';
import { IsHttpsUrl } from './http-url';
import { NeededWhen } from './needed-when';

/** The kinds of issuers: those of service access tokens, and those of OpenID access tokens. */
export type IssuerFamily = 'service' | 'openid';

/** An issuer of JWTs that the app trusts, in the form that JwtVerifier of `@tandem/auth` takes. */
export interface IssuerSettings {
  readonly family: IssuerFamily;
  /** The exact `iss` of the issuer's tokens. */
  readonly issuer: string;
  readonly jwksUrl: string;
}

/** The issuers and the audience of the JWTs that an app accepts. */
export interface JwtSettings {
  JWT_SERVICE_ISSUER?: string;
  JWT_SERVICE_JWKS_URL?: string;
  JWT_OPENID_ISSUER?: string;
  JWT_OPENID_JWKS_URL?: string;
  JWT_AUDIENCE: string;
  /** The configured issuers of the families that the app accepts. */
  readonly jwtIssuers: readonly IssuerSettings[];
}

type Need = 'required' | 'optional' | undefined;

/** Adds the rules of an issuer's variable. If the app does not accept the issuer's family, the variable is not one of the app's settings. */
function OfIssuer(need: Need, other: keyof JwtSettings, ...rules: PropertyDecorator[]): PropertyDecorator {
  if (need === undefined) return () => undefined;
  if (need === 'required') return applyDecorators(IsDefined(), ...rules);
  return applyDecorators(
    NeededWhen<JwtSettings>((config) => config[other] !== undefined, `${other} is`),
    ...rules,
  );
}

/**
 * Adds the settings of an app that accepts JWTs: the issuers, the URLs of their keys, and the audience. An issuer and its keys must be set together.
 *
 * @param families the families that the app accepts; `required` must be set, `optional` may be omitted
 */
export function WithJwtIssuers<B extends Constructor>(
  Base: B,
  families: Readonly<Partial<Record<IssuerFamily, Need>>>,
): B & Constructor<JwtSettings> {
  const { service, openid } = families;

  class JwtConfig extends Base {
    /** `iss` of service access tokens. */
    @OfIssuer(service, 'JWT_SERVICE_JWKS_URL', IsString(), MinLength(1))
    JWT_SERVICE_ISSUER?: string;

    /** The URL of the keys that sign service access tokens. */
    @OfIssuer(service, 'JWT_SERVICE_ISSUER', IsHttpsUrl())
    JWT_SERVICE_JWKS_URL?: string;

    /** `iss` of OpenID access tokens. */
    @OfIssuer(openid, 'JWT_OPENID_JWKS_URL', IsString(), MinLength(1))
    JWT_OPENID_ISSUER?: string;

    /** The URL of the keys that sign OpenID access tokens. */
    @OfIssuer(openid, 'JWT_OPENID_ISSUER', IsHttpsUrl())
    JWT_OPENID_JWKS_URL?: string;

    /** The `aud` that tokens must have. */
    @IsString()
    @MinLength(1)
    JWT_AUDIENCE = 'tandem';

    get jwtIssuers(): readonly IssuerSettings[] {
      const all = [
        { family: 'service', issuer: this.JWT_SERVICE_ISSUER, jwksUrl: this.JWT_SERVICE_JWKS_URL },
        { family: 'openid', issuer: this.JWT_OPENID_ISSUER, jwksUrl: this.JWT_OPENID_JWKS_URL },
      ] as const;
      return all.filter((one) => families[one.family] && one.issuer !== undefined) as readonly IssuerSettings[];
    }
  }
  return JwtConfig;
}
