import { type DynamicModule, type InjectionToken, Logger, Module } from '@nestjs/common';
import { AccessTokens, type AccessTokensOptions, JwtVerifier, type JwtVerifierOptions } from '@tandem/auth';

/** The part of an app's config with the audience and the issuers of its callers' tokens. */
interface TokenSettings {
  readonly JWT_AUDIENCE: string;
  readonly jwtIssuers: JwtVerifierOptions['issuers'];
}

export interface AccessTokensModuleOptions {
  /** The class of the app's config. */
  readonly config: InjectionToken<TokenSettings>;
  /** Whether a token with this `sub` may call this app. Default: every token may. */
  readonly isSubject?: AccessTokensOptions['isSubject'];
}

const logger = new Logger('access-tokens');

/**
 * Provides {@link AccessTokens}, which authenticates callers by JWT, and the {@link JwtVerifier} that it uses. If the
 * whole app uses this verifier, the issuers' keys are cached only once.
 *
 *     AccessTokensModule.register({ config: DiscoveryConfig, isSubject: isKrn })
 */
@Module({})
export class AccessTokensModule {
  static register({ config, isSubject }: AccessTokensModuleOptions): DynamicModule {
    const onRefused = (reason: string): void => logger.log({ msg: 'access token refused', reason });
    return {
      module: AccessTokensModule,
      providers: [
        {
          provide: JwtVerifier,
          inject: [config],
          useFactory: ({ JWT_AUDIENCE, jwtIssuers }: TokenSettings) =>
            new JwtVerifier({ audience: JWT_AUDIENCE, issuers: jwtIssuers }),
        },
        {
          provide: AccessTokens,
          inject: [JwtVerifier],
          useFactory: (verifier: JwtVerifier) => new AccessTokens(verifier, { isSubject, onRefused }),
        },
      ],
      exports: [JwtVerifier, AccessTokens],
    };
  }
}
