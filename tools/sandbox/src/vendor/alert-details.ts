import type { Bureau, VendorAlert } from './vendor-user';

/** The default details of an alert, by class. */
const STORIES: Record<string, { title: string; text: string; source: string }> = {
  CREDIT_MONITORING: { title: 'New inquiry', text: 'A lender asked for a credit report', source: 'Northwind Bank' },
  COA: { title: 'Change of address', text: 'A new address was reported', source: 'Postal records' },
  PIM: {
    title: 'Data found on the dark web',
    text: 'An e-mail address was part of a breach',
    source: 'Breach list 114',
  },
  SSN: { title: 'SSN trace', text: 'A name is used with a social security number', source: 'Public records' },
  NHW: { title: 'New in the neighborhood', text: 'A registered offender moved in', source: 'State registry' },
  HOME_TITLE: { title: 'Home title', text: 'A document was recorded on a property', source: 'County recorder' },
  AUTO_TITLE: { title: 'Auto title', text: 'A vehicle title changed', source: 'Motor vehicle office' },
  COURT_RECORD: { title: 'Court record', text: 'A case was filed', source: 'County court' },
  HIGH_RISK_TRANSACTION: { title: 'High-risk transaction', text: 'An account was opened', source: 'Contoso Credit' },
};
const OTHER = { title: 'Alert', text: 'Something changed', source: 'Unknown source' };

type Shape = (alert: VendorAlert, story: typeof OTHER) => Record<string, unknown>;

const dateOf = ({ createDate }: VendorAlert): string => createDate.slice(0, 10);
const lastFourOf = ({ alertId }: VendorAlert): string => String(alertId).slice(-4);

/** Each bureau describes an alert in its own form. Do not unify the forms. */
const SHAPES: Record<Bureau, Shape> = {
  idp: (alert, { title, text, source }) => ({
    alertId: alert.alertId,
    alertType: alert.class,
    title,
    description: text,
    severity: 'medium',
    source: { name: source, foundDate: dateOf(alert) },
    exposed: [{ type: 'reference', value: `****${lastFourOf(alert)}` }],
  }),
  exp: (alert, { title, text, source }) => ({
    id: String(alert.alertId),
    alertCode: alert.class,
    alertCategory: title,
    message: text,
    reportedDate: dateOf(alert),
    subscriber: { name: source, phone: '8005550100' },
    account: { numberMasked: `XXXX${lastFourOf(alert)}`, responsibility: 'I' },
  }),
  tui: (alert, { title, text, source }) => ({
    creditAlert: {
      key: alert.alertId,
      type: alert.class,
      heading: title,
      effective: alert.createDate,
      creditor: { name: source, address: { line1: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' } },
      attributes: [
        { name: 'explanation', value: text },
        { name: 'accountSuffix', value: lastFourOf(alert) },
      ],
    },
  }),
  efx: (alert, { title, text, source }) => ({
    alertInfo: { alertNumber: alert.alertId, alertType: alert.class, alertDate: dateOf(alert), summary: title },
    data: { memberName: source, narrative: text, accountNumber: `*********${lastFourOf(alert)}` },
  }),
};

/** Returns the details of an alert in the form of its bureau. The alert's own `detail` overrides them. */
export const detailsOf = (alert: VendorAlert): Record<string, unknown> => ({
  ...SHAPES[alert.bureau](alert, STORIES[alert.class] ?? OTHER),
  ...alert.detail,
});
