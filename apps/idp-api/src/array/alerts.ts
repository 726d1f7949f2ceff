/** The sources of alerts. */
export const BUREAUS = ['idp', 'exp', 'tui', 'efx'] as const;
export type Bureau = (typeof BUREAUS)[number];

export const isBureau = (text: string): text is Bureau => BUREAUS.some((bureau) => bureau === text);

/**
 * The largest id of an alert: a webhook or a list page of the vendor that contains a larger id is refused. Above this limit, JavaScript
 * numbers do not represent every integer exactly.
 */
export const MAX_ALERT_ID = Number.MAX_SAFE_INTEGER;

/** An alert from the vendor's list, from a push or from the samples. */
export interface Alert {
  readonly alertId: number;
  readonly bureau: string;
  readonly class: string;
  /** ISO 8601. */
  readonly createDate: string;
  /** ISO 8601. */
  readonly updatedDate: string;
}

/** A part of a list. */
export interface Page {
  readonly offset: number;
  readonly count: number;
}

/** Selects alerts. An empty filter selects all alerts. */
export interface AlertFilter {
  readonly bureau?: Bureau;
  readonly class?: string;
}
