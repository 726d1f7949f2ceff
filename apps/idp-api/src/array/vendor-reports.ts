import { Injectable } from '@nestjs/common';
import type { Alert, AlertFilter, Bureau, Page } from './alerts';
import { checkedAnswer, prepareAnswer } from './vendor-answer';
import { VendorClient } from './vendor.client';
import { VendorError, VendorRefusedError } from './vendor.errors';
import type { VendorRoute } from './vendor-routes';
import {
  VendorAlertPage,
  type VendorCreditScore,
  VendorCreditScores,
  type VendorInstitution,
  VendorInstitutions,
  type VendorMonitor,
  VendorMonitors,
  VendorRemovalRecords,
  type VendorScan,
  type VendorScanRecords,
  VendorScans,
  type VendorWatch,
  VendorWatches,
} from './vendor-reports-shapes';

/** A read route of the vendor, and the type of its answer. */
interface Report<T extends object> {
  readonly route: VendorRoute;
  readonly path: string;
  readonly type: new () => T;
}

function report<T extends object>(route: VendorRoute, path: string, type: new () => T): Report<T> {
  prepareAnswer(type);
  return { route, path, type };
}

const ALERTS = report('alerts', '/alerts/v2', VendorAlertPage);
const WATCH_ALERTS = report('nhw', '/nhw/v2/alerts', VendorAlertPage);
const CREDIT_SCORES = report('credit-scores', '/credit-scores/v2', VendorCreditScores);
const SCANS = report('scans', '/privacy/v2/scans', VendorScans);
const REMOVAL_RECORDS = report('scans', '/privacy/v2/records', VendorRemovalRecords);
const MONITORS = report('monitors', '/monitors/v2', VendorMonitors);
const WATCHES = report('nhw', '/nhw/v2/watches', VendorWatches);
const INSTITUTIONS = report('financial-accounts', '/accounts/v2', VendorInstitutions);

/** Whose data is requested, and how long to wait for it. */
export interface ReportRequest {
  readonly arrayUserId: string;
  /** The time limit of the whole call, ms. The default is `VENDOR_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
}

/**
 * Reads what the vendor knows about a user, without caching. All methods throw VendorError when the vendor fails or answers in an
 * unexpected shape, and VendorTimeoutError when the vendor does not answer in time. When the vendor does not know the user, all methods
 * throw VendorError, except `findAlert`, which returns null.
 */
@Injectable()
export class VendorReports {
  constructor(private readonly vendor: VendorClient) {}

  /** Returns a part of the alerts that match the filter, newest first. */
  listAlerts(request: ReportRequest, window: Page, { bureau, class: kind }: AlertFilter): Promise<Alert[]> {
    return this.readPage(ALERTS, request, window, { bureau, class: kind });
  }

  /** Returns a part of the alerts of Neighborhood Watch, newest first. */
  listWatchAlerts(request: ReportRequest, window: Page): Promise<Alert[]> {
    return this.readPage(WATCH_ALERTS, request, window);
  }

  /**
   * Returns the details of an alert, in the format of the alert's bureau. Returns null when the user has no alert of this bureau with this
   * id, or when the vendor refuses the call.
   */
  async findAlert({ arrayUserId, timeoutMs }: ReportRequest, bureau: Bureau, alertId: number): Promise<object | null> {
    const path = `${ALERTS.path}/${bureau}/${alertId}`;
    const options = { deadlineMs: timeoutMs };
    const call = this.vendor.get<unknown>(ALERTS.route, path, { clientKey: arrayUserId }, options);
    const alert = await whenRefused(call, null);
    if (typeof alert === 'object' && !Array.isArray(alert)) return alert;
    throw new VendorError(ALERTS.route, 'an alert that is not an object');
  }

  async listCreditScores(request: ReportRequest): Promise<VendorCreditScore[]> {
    return (await this.read(CREDIT_SCORES, request)).creditScoreHistory;
  }

  async listScans(request: ReportRequest): Promise<VendorScan[]> {
    return (await this.read(SCANS, request)).scans;
  }

  /** Returns, for each scan, how many of the scan's records are in each state of removal. */
  async listRemovalRecords(request: ReportRequest): Promise<VendorScanRecords[]> {
    return (await this.read(REMOVAL_RECORDS, request)).perScan;
  }

  async listMonitors(request: ReportRequest): Promise<VendorMonitor[]> {
    return (await this.read(MONITORS, request)).monitors;
  }

  async listWatches(request: ReportRequest): Promise<VendorWatch[]> {
    return (await this.read(WATCHES, request)).watches;
  }

  async listInstitutions(request: ReportRequest): Promise<VendorInstitution[]> {
    return (await this.read(INSTITUTIONS, request)).institutions;
  }

  /** Reads a page. The vendor may refuse an offset beyond the end of the list; the page is then empty. */
  private async readPage(
    report: Report<VendorAlertPage>,
    request: ReportRequest,
    window: Page,
    filter: AlertFilter = {},
  ): Promise<Alert[]> {
    const page = this.read(report, request, { ...filter, ...window });
    return (await (window.offset > 0 ? whenRefused(page, { alerts: [] }) : page)).alerts;
  }

  private async read<T extends object>(
    { route, path, type }: Report<T>,
    { arrayUserId, timeoutMs }: ReportRequest,
    query: Record<string, string | number | undefined> = {},
  ): Promise<T> {
    const options = { deadlineMs: timeoutMs };
    const answer = await this.vendor.get<unknown>(route, path, { clientKey: arrayUserId, ...query }, options);
    // The vendor does not know the user. An empty list would wrongly state that the user has no data.
    if (answer === null) throw new VendorError(route, 'the user is unknown');
    return checkedAnswer(route, type, answer);
  }
}

/** Returns the answer of a call, or `instead` when the vendor understood but refused the call. */
function whenRefused<T>(call: Promise<T>, instead: T): Promise<T> {
  return call.catch((error: unknown) => {
    if (error instanceof VendorRefusedError) return instead;
    throw error;
  });
}
