/** The sources of alerts. */
export const BUREAUS = ['idp', 'exp', 'tui', 'efx'] as const;
export type Bureau = (typeof BUREAUS)[number];

export const isBureau = (text: string): text is Bureau => BUREAUS.some((bureau) => bureau === text);

/**
 * The largest integer that a JavaScript number holds exactly. A push or a page of the vendor with a larger id is refused, so no alert has
 * one.
 */
export const MAX_ALERT_ID = Number.MAX_SAFE_INTEGER;

/** One alert, the vendor's or ours. */
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

/** Selects the alerts of a list. An empty filter selects all alerts. */
export interface AlertFilter {
  readonly bureau?: Bureau;
  readonly class?: string;
}
