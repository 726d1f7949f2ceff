import type { Alert, Bureau } from '../array/alerts';
import type { VendorScan, VendorScanRecords } from '../array/vendor-reports-shapes';

/** A sample alert, with which client developers can try out their screens. */
export interface SampleAlert extends Alert {
  readonly bureau: Bureau;
  /** The details of the alert, in the format of the alert's bureau. */
  readonly details: object;
}

/** The first id of a sample alert. It is high, so that no alert of the vendor is likely to have the same id. All sample ids fit in 31 bits. */
const FIRST_ALERT_ID = 2_147_480_001;

/** The bureau, class, date and text of each sample alert, newest first. There is at least one alert of each class and of each bureau. */
const KINDS: readonly (readonly [Bureau, string, string, string])[] = [
  ['exp', 'CREDIT_MONITORING', '2026-01-09', 'A new inquiry is on your credit report'],
  ['tui', 'CREDIT_MONITORING', '2026-01-08', 'A new account is on your credit report'],
  ['efx', 'CREDIT_MONITORING', '2026-01-07', 'A balance on your credit report has grown'],
  ['idp', 'COA', '2026-01-06', 'A change of your address was filed'],
  ['idp', 'PIM', '2026-01-05', 'Your e-mail address was found in a data breach'],
  ['idp', 'SSN', '2026-01-04', 'A new name was found with your social security number'],
  ['idp', 'NHW', '2026-01-03', 'A registered offender has moved near a place that you watch'],
  ['idp', 'HOME_TITLE', '2026-01-02', 'A document about your home was recorded'],
  ['idp', 'AUTO_TITLE', '2026-01-02', 'The title of your car has changed'],
  ['idp', 'COURT_RECORD', '2026-01-01', 'A court record was found with your name'],
  ['idp', 'HIGH_RISK_TRANSACTION', '2026-01-01', 'Your identity was used to open an account'],
];

/** For each bureau, the function that generates the details of an alert in the bureau's format. */
const DETAILS: Readonly<Record<Bureau, (id: number, kind: string, date: string, text: string) => object>> = {
  idp: (alertId, alertType, foundDate, description) => ({
    alertId,
    alertType,
    title: 'Sample alert',
    description,
    severity: 'medium',
    source: { name: 'Sample source', foundDate },
  }),
  exp: (id, alertCode, reportedDate, message) => ({
    id: String(id),
    alertCode,
    alertCategory: 'Sample alert',
    message,
    reportedDate,
    subscriber: { name: 'Sample Bank', phone: '8005550100' },
  }),
  tui: (key, type, date, text) => ({
    creditAlert: {
      key,
      type,
      heading: 'Sample alert',
      effective: `${date}T12:00:00.000Z`,
      creditor: { name: 'Sample Bank' },
      attributes: [{ name: 'explanation', value: text }],
    },
  }),
  efx: (alertNumber, alertType, alertDate, narrative) => ({
    alertInfo: { alertNumber, alertType, alertDate, summary: 'Sample alert' },
    data: { memberName: 'Sample Bank', narrative },
  }),
};

/** The sample alerts. They are the same for every user, and never change. */
export const SAMPLE_ALERTS: readonly SampleAlert[] = KINDS.map(([bureau, kind, date, text], index) => {
  const alertId = FIRST_ALERT_ID + index;
  return {
    alertId,
    bureau,
    class: kind,
    createDate: `${date}T12:00:00.000Z`,
    updatedDate: `${date}T12:00:00.000Z`,
    details: DETAILS[bureau](alertId, kind, date, text),
  };
});

/** For each bureau, the details of an example alert. */
export const DETAILS_EXAMPLES: Readonly<Record<string, object>> = Object.fromEntries(
  SAMPLE_ALERTS.toReversed().map(({ bureau, details }) => [bureau, details]),
);

/** Returns the sample scans, newest first. There is at least one in each status and of each type. */
export const sampleScans = (arrayUserId: string): VendorScan[] => [
  sampleScan(arrayUserId, { id: 'sample-scan-5', scanType: 'realtime', status: 'pending', day: '2026-01-09' }),
  sampleScan(arrayUserId, { id: 'sample-scan-4', scanType: 'rescan', status: 'running', day: '2026-01-08' }),
  sampleScan(arrayUserId, { id: 'sample-scan-3', scanType: 'rescan', status: 'stopped', day: '2026-01-06' }),
  sampleScan(arrayUserId, { id: 'sample-scan-2', scanType: 'rescan', status: 'failed', day: '2026-01-04' }),
  sampleScan(arrayUserId, { id: 'sample-scan-1', scanType: 'full', status: 'completed', day: '2026-01-01' }),
];

/** For each sample scan, how many of the records that it found are in each state of removal. */
export const SAMPLE_RECORDS: readonly VendorScanRecords[] = [
  { scanId: 'sample-scan-5', notInitiated: 0, submitted: 0, confirmed: 0, verified: 0 },
  { scanId: 'sample-scan-4', notInitiated: 4, submitted: 2, confirmed: 0, verified: 0 },
  { scanId: 'sample-scan-3', notInitiated: 1, submitted: 1, confirmed: 1, verified: 1 },
  { scanId: 'sample-scan-2', notInitiated: 0, submitted: 0, confirmed: 0, verified: 0 },
  { scanId: 'sample-scan-1', notInitiated: 0, submitted: 3, confirmed: 5, verified: 12 },
];

function sampleScan(
  arrayUserId: string,
  { id, scanType, status, day }: { id: string; scanType: string; status: string; day: string },
): VendorScan {
  const startedAt = status === 'pending' ? null : `${day}T08:01:00.000Z`;
  const stoppedAt = startedAt === null || status === 'running' ? null : `${day}T09:00:00.000Z`;
  const createdAt = `${day}T08:00:00.000Z`;
  return {
    id,
    customerId: arrayUserId,
    enrollmentId: 'sample-enrollment',
    brokerCount: 3,
    brokerIds: ['sample-broker-1', 'sample-broker-2', 'sample-broker-3'],
    realtime: scanType === 'realtime',
    scanType,
    status,
    createdAt,
    modifiedAt: stoppedAt ?? startedAt ?? createdAt,
    startedAt,
    stoppedAt,
  };
}
