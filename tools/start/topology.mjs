/** The apps of the stack. The role and the schema of each have the same name. */
export const APPS = [
  { name: 'partner-gateway', role: 'partner' },
  { name: 'webhook-ingest', role: 'ingest' },
  { name: 'postback-dispatcher', role: 'postback' },
  { name: 'voucher-service', role: 'voucher' },
];
