import {
  EnumField,
  FlagField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  RuleField,
  TextField,
} from '@tandem/http-api';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, ValidateBy } from 'class-validator';
import { isIPv4, isIPv6 } from 'node:net';
import { shortAddress } from './address.rules';
import { PROTOCOLS, type Protocol } from './protocols.rules';

/* The classes of the answers to clients. LocationView and EndpointView also define the fields of the catalog file. */

const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
const TRANSPORTS = ['udp', 'tcp'] as const;
const MAX_INTEGER = 2_147_483_647;

const isV4 = (value: unknown): boolean => typeof value === 'string' && isIPv4(value);
/**
 * Returns whether a value is an IPv6 address that contains neither an IPv4 address nor a zone, and whose short form does not begin with
 * `::`. Addresses that begin with `::` are refused because Postgres may write their last part as an IPv4 address: an export would then
 * differ from the imported file.
 */
const isV6 = (value: unknown): boolean =>
  typeof value === 'string' && isIPv6(value) && /^[0-9a-f:]+$/i.test(value) && !shortAddress(value).startsWith('::');
const isAddress = (value: unknown): boolean => isV4(value) || isV6(value);

export class LocationView {
  @TextField({
    pattern: /^[a-z0-9][a-z0-9-]{0,63}$/,
    message: '$property must be 1 to 64 of a-z, 0-9 and -',
    example: 'us-nyc',
  })
  id!: string;

  @TextField({ min: 1, max: 100, storable: true, example: 'New York' })
  name!: string;

  @NumberField({ min: -90, max: 90, example: 40.71, description: 'Degrees, north is positive' })
  latitude!: number;

  @NumberField({ min: -180, max: 180, example: -74.01, description: 'Degrees, east is positive' })
  longitude!: number;

  @TextField({
    pattern: /^[A-Z]{2}$/,
    message: '$property must be two capital letters (ISO 3166-1 alpha-2)',
    example: 'US',
  })
  country_code!: string;

  @IntegerField({
    min: 0,
    max: MAX_INTEGER,
    example: 2,
    description: 'The minimum number of instances at this location',
  })
  instance_count_min!: number;

  @IntegerField({ min: 0, max: MAX_INTEGER, example: 20 })
  instance_count_max!: number;

  @FlagField({
    example: false,
    description: 'Whether the servers are in a different country from the one they appear in',
  })
  is_geolocated!: boolean;

  @IntegerField({
    min: 1,
    max: MAX_INTEGER,
    example: 1,
    description: 'The list is sorted by this value, most popular first',
  })
  popularity_order!: number;

  @IsArray()
  @ArrayMaxSize(16)
  @ValidateBy(
    { name: 'isAddress', validator: { validate: isAddress } },
    { each: true, message: 'each value in $property must be an IP address' },
  )
  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    example: ['192.0.2.1'],
    description: 'Addresses for measuring the latency',
  })
  test_ips!: string[];
}

export class LocationListView {
  @ListField(() => LocationView)
  locations!: LocationView[];
}

export class EndpointIp {
  @RuleField(isV4, { schema: { format: 'ipv4' }, message: '$property must be an IPv4 address', example: '192.0.2.10' })
  v4!: string;

  @RuleField(isV6, {
    schema: { format: 'ipv6' },
    message: '$property must be an IPv6 address',
    example: '2001:db8::10',
    optional: true,
  })
  v6?: string;
}

export class EndpointView {
  @EnumField(PROTOCOLS, { example: 'lightway' })
  type!: Protocol;

  @TextField({ pattern: HOST_NAME, message: '$property must be a host name', example: 'us-nyc-1.vpn.example.com' })
  host!: string;

  @ObjectField(() => EndpointIp)
  ip!: EndpointIp;

  @IntegerField({ min: 1, max: 65_535, example: 443 })
  port!: number;

  @EnumField(TRANSPORTS, { example: 'udp' })
  transport!: (typeof TRANSPORTS)[number];

  @IntegerField({ min: 576, max: 9_000, optional: true, example: 1350, description: 'Bytes' })
  mtu?: number;

  @TextField({ min: 1, max: 256, storable: true, example: 'CN=us-nyc-1.vpn.example.com' })
  cert_dn!: string;

  @RuleField(isAddress, { message: '$property must be an IP address', optional: true, example: '192.0.2.11' })
  auth_ip?: string;

  @IntegerField({ min: 1, max: 65_535, optional: true, example: 8443 })
  auth_port?: number;

  @TextField({
    pattern: /^[a-z0-9-]{1,32}$/,
    message: '$property must be 1 to 32 of a-z, 0-9 and -',
    optional: true,
    example: 'xor',
  })
  obfuscation?: string;
}

export class InstanceListView {
  @TextField({ example: 'us-nyc' })
  location_id!: string;

  @ListField(() => EndpointView, { description: 'In the order in which to try them' })
  endpoints!: EndpointView[];
}
