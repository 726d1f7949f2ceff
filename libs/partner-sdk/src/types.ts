import type { components, operations } from './generated/partner-api.ts';

type Schemas = components['schemas'];
type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

export type Account = Schemas['Account'];
export type CheckoutUrl = Schemas['CheckoutUrl'];
export type Sale = Schemas['PartnerSale'];
export type Revocation = Schemas['Revocation'];
export type Statistics = Schemas['Statistics'];
export type VoucherGroup = Schemas['VoucherGroup'];
export type Voucher = Schemas['Coupon'];
export type CreatedVouchers = Schemas['CreatedCoupons'];
export type PostbackConfiguration = Schemas['PostbackConfiguration'];
export type PostbackTest = Schemas['PostbackTestDto'];
export type SigningSecret = Schemas['SigningSecretDto'];
export type Delivery = Schemas['PostbackDeliveryDto'];
/** A postback as your endpoint gets it, or would get it. */
export type PostbackRequest = Schemas['PostbackRequest'];
export type PostbackRequestPage = Schemas['PostbackRequestPage'];
/** How many deliveries a replay would send. */
export type ReplayCount = Schemas['ReplayCountDto'];
export type ReplayedDelivery = Schemas['ReplayedDeliveryDto'];
export type ReplayedDeliveries = Schemas['ReplayedDeliveriesDto'];
/** The body of a postback. */
export type Postback = Schemas['Postback'];
/** The body of the notice that a sale was refunded or charged back. */
export type SaleClosedNotice = Schemas['SaleClosedNotice'];
/** One field that the platform refused, and why. */
export type FieldProblem = Schemas['FieldProblem'];

/** A time: a `Date`, or text in ISO 8601 with an offset. */
export type Time = Date | string;

/** The fields of a checkout URL. The postback returns `refId` as `sharedId`. */
export type CheckoutOptions = Omit<QueryOf<'createCheckoutUrl'>, 'ref_id'> & { readonly refId?: string };
/** Which sales to list; `limit` is the size of a page. */
export type SaleFilter = Omit<QueryOf<'listSales'>, 'cursor' | 'from' | 'to'> & {
  readonly from?: Time;
  readonly to?: Time;
};
export type RevocationOptions = Omit<Schemas['RevokeSaleBody'], 'subscriptionId'>;
export type StatisticsOptions = QueryOf<'getStatistics'>;
/** Which vouchers to list; `limit` is the size of a page. */
export type VoucherFilter = Omit<QueryOf<'listVouchers'>, 'cursor' | 'voucherGroupId'>;
export type PostbackSettings = Schemas['SavePostbackBody'];
/** Which deliveries to list; `limit` is the size of a page. */
export type DeliveryFilter = Omit<QueryOf<'listDeliveries'>, 'cursor' | 'failing'> & {
  /** Whether to list only the deliveries that are failing now: an attempt has failed, and they will be retried. */
  readonly failing?: boolean;
};
/**
 * Where to begin: after a page (`cursor`), at a time (`since`) or, without both, with the next postback. `limit` is the size of a page.
 */
export type ListenPosition = Omit<QueryOf<'listenToPostbacks'>, 'since'> & { readonly since?: Time };
/** Selects the deliveries that were created at `from` or later, and before `to`. The status `all` selects failed, held and delivered ones. */
export type ReplayRange = Omit<Schemas['ReplayRangeBody'], 'from' | 'to'> & { readonly from: Time; readonly to: Time };

/** How many vouchers to create. */
export interface VoucherOrder {
  /** 1 to 500. If omitted, the platform creates 10. */
  readonly count?: number;
  /**
   * Identifies the order for 24 hours: a repeated call with the same key returns the same codes. If your process may be restarted before
   * it repeats a call, pass a key that is stored with your order. 1 to 255 visible ASCII characters. Default: a new key for each call.
   */
  readonly idempotencyKey?: string;
}
