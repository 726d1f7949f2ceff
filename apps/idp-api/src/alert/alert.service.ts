import { Injectable } from '@nestjs/common';
import { IdpApiConfig } from '../config';
import { MockService } from '../mock/mock.service';
import type { Profile } from '../profile/profile';
import { ProfileService } from '../profile/profile.service';
import { utc } from '../array/utc';
import { type ReportRequest, VendorReports } from '../array/vendor-reports';
import type { AlertSelection } from './alert-input.rules';
import { AlertNotFoundError } from './alert.errors';
import { AlertRepository, OWN_ALERTS, type StoredAlertData } from './alert.repository';
import { type Alert, type AlertFilter, BUREAUS, type Bureau, type Page } from '../array/alerts';
import {
  isRead,
  isShown,
  isWanted,
  MAX_OFFSET,
  mayBeMissing,
  mergePage,
  NEIGHBORHOOD_WATCH_CLASS,
  SEARCHED,
  vendorWindow,
} from './alert.rules';

/** An alert as the user sees it in a list. */
export interface AlertItem {
  alertId: number;
  bureau: string;
  class: string;
  /** ISO 8601, UTC. */
  createDate: string;
  /** ISO 8601, UTC. */
  updatedDate: string;
  read: boolean;
}

type AlertUser = Profile & StoredAlertData;

/** Reads a window of the vendor's list, newest first. */
type VendorList = (window: Page) => Promise<Alert[]>;

/**
 * Lists and marks the alerts of a user. A list contains:
 * - the vendor's alerts
 * - the sample alerts, if they are turned on for the user
 * - the pushed alerts that the vendor, or one of its replicas, may not list yet. A pushed alert of an unknown bureau is shown only once the
 *   vendor has listed it.
 */
@Injectable()
export class AlertService {
  constructor(
    private readonly profiles: ProfileService,
    private readonly reports: VendorReports,
    private readonly alerts: AlertRepository,
    private readonly mocks: MockService,
    private readonly config: IdpApiConfig,
  ) {}

  /** @throws UserNotFoundError, VendorError */
  async list(krn: string, page: Page, filter: AlertFilter): Promise<AlertItem[]> {
    return this.listOf(await this.profiles.getWith(krn, OWN_ALERTS), page, filter);
  }

  /** Lists alerts like `list`, for a profile that the caller has already read. @param timeoutMs the time limit of the call to the vendor */
  listOf(profile: AlertUser, page: Page, filter: AlertFilter, timeoutMs?: number): Promise<AlertItem[]> {
    const request: ReportRequest = { arrayUserId: profile.arrayUserId, timeoutMs };
    return this.pageOf(profile, page, filter, (window) => this.reports.listAlerts(request, window, filter));
  }

  /** Lists the alerts of Neighborhood Watch, for which the vendor has a separate list. @throws like `list` */
  async listOfWatches(krn: string, page: Page): Promise<AlertItem[]> {
    const profile = await this.profiles.getWith(krn, OWN_ALERTS);
    const filter: AlertFilter = { class: NEIGHBORHOOD_WATCH_CLASS };
    return this.pageOf(profile, page, filter, (window) => this.reports.listWatchAlerts(profile, window));
  }

  /**
   * Returns the details of an alert, in the format of the alert's bureau.
   *
   * @throws AlertNotFoundError, UserNotFoundError, VendorError
   */
  async getDetails(krn: string, bureau: Bureau, alertId: number): Promise<object> {
    const profile = await this.profiles.get(krn);
    const sample = (await this.mocks.alertsOf(krn)).find((one) => one.alertId === alertId && one.bureau === bureau);
    const details = sample?.details ?? (await this.find(profile, bureau, alertId));
    if (details === null) throw new AlertNotFoundError();
    return details;
  }

  /** Marks one alert. @throws AlertNotFoundError, UserNotFoundError, VendorError */
  async markOne(krn: string, alertId: number, asRead: boolean): Promise<void> {
    const profile = await this.profiles.getWith(krn, OWN_ALERTS);
    if (!(await this.isKnown(profile, alertId))) throw new AlertNotFoundError();
    await this.alerts.mark(krn, [alertId], asRead);
  }

  /** Marks some alerts, or all current alerts. Does not check whether the user has alerts with these ids. @throws UserNotFoundError */
  async mark(krn: string, selection: AlertSelection, asRead: boolean): Promise<void> {
    await this.profiles.get(krn);
    if (selection === 'all') await this.alerts.markAll(krn, asRead);
    else if (selection.length > 0) await this.alerts.mark(krn, selection, asRead);
  }

  private async pageOf(user: AlertUser, page: Page, filter: AlertFilter, read: VendorList): Promise<AlertItem[]> {
    if (page.offset >= MAX_OFFSET) return [];
    const { krn, ownAlerts } = user;
    const missing = ownAlerts.pushed.filter((alert) => mayBeMissing(alert, this.config.VENDOR_REPLICATION_SECONDS));
    const pushed = missing.filter((alert) => isShown(alert) && isWanted(alert, filter));
    const own = [...pushed, ...(await this.mocks.alertsOf(krn)).filter((alert) => isWanted(alert, filter))];
    const window = vendorWindow(page, own.length, pushed.length > 0);
    const listed = await read(window);
    const shown = mergePage(page, window, listed, own);
    const readState = await this.alerts.readStateOf(
      user,
      shown.map(({ alertId }) => alertId),
    );
    const unlisted = ownAlerts.pushed.filter((alert) => !alert.listed);
    await this.saveListed(krn, unlisted, listed);
    const everListed = [...listed, ...ownAlerts.pushed.filter((alert) => alert.listed)];
    const listedIds = new Set(everListed.map(({ alertId }) => alertId));
    return shown.map((alert) => itemOf(alert, isRead(alert, listedIds.has(alert.alertId), readState)));
  }

  /**
   * Records which pushed alerts the vendor now lists. Once an alert is recorded as listed, and the vendor's replication delay has passed
   * since the alert was stored, lists show the alert only where the vendor lists it.
   */
  private async saveListed(krn: string, unlisted: readonly Alert[], listed: readonly Alert[]): Promise<void> {
    if (unlisted.length === 0) return;
    const listedIds = new Set(listed.map(({ alertId }) => alertId));
    const known = unlisted.map(({ alertId }) => alertId).filter((id) => listedIds.has(id));
    if (known.length > 0) await this.alerts.saveListed(krn, known);
  }

  /**
   * Returns whether the user has an alert with this id. If we have no such alert, the vendor is asked. The vendor finds an alert only by
   * bureau and id, so one call for each bureau is made, concurrently. An alert of a bureau that is unknown here is found only in the
   * vendor's list.
   */
  private async isKnown(profile: AlertUser, alertId: number): Promise<boolean> {
    if (!Number.isFinite(alertId)) return false;
    const own = [...profile.ownAlerts.pushed.filter(isShown), ...(await this.mocks.alertsOf(profile.krn))];
    if (own.some((alert) => alert.alertId === alertId)) return true;
    const found = await Promise.allSettled(BUREAUS.map((bureau) => this.find(profile, bureau, alertId)));
    if (found.some((one) => one.status === 'fulfilled' && one.value !== null)) return true;
    for (const one of found) if (one.status === 'rejected') throw one.reason;
    const newest = await this.reports.listAlerts(profile, { offset: 0, count: SEARCHED }, {});
    return newest.some((alert) => alert.alertId === alertId);
  }

  private async find(profile: Profile, bureau: Bureau, alertId: number): Promise<object | null> {
    return Number.isFinite(alertId) ? this.reports.findAlert(profile, bureau, alertId) : null;
  }
}

const itemOf = ({ alertId, bureau, class: kind, createDate, updatedDate }: Alert, read: boolean): AlertItem => ({
  alertId,
  bureau,
  class: kind,
  createDate: utc(createDate),
  updatedDate: utc(updatedDate),
  read,
});
