import { Module } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import { dnsResolver, Resolver, SsrfGuard } from './ssrf-guard';

/** The injection token of the DNS resolver. Tests replace the resolver. */
export const RESOLVER = Symbol('RESOLVER');

@Module({
  providers: [
    { provide: RESOLVER, useValue: dnsResolver },
    {
      provide: SsrfGuard,
      inject: [PostbackDispatcherConfig, RESOLVER],
      useFactory: (config: PostbackDispatcherConfig, resolver: Resolver) =>
        new SsrfGuard(
          {
            allowLoopback: config.POSTBACK_ALLOW_LOOPBACK,
            allowedNetworks: config.POSTBACK_ALLOWED_NETWORKS,
            requireHttps: config.POSTBACK_REQUIRE_HTTPS,
          },
          resolver,
          config.POSTBACK_CONNECT_TIMEOUT_MS,
        ),
    },
  ],
  exports: [SsrfGuard],
})
export class SsrfModule {}
