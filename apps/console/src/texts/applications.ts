export const applicationsTexts = {
  title: 'Applications',
  received: 'Received',
  company: 'Company',
  kind: 'Kind',
  contact: 'Contact',
  message: 'Message',
  status: 'Status',
  partner: 'Open the partner',
  statuses: { pending: 'Pending', approved: 'Approved', rejected: 'Rejected' },
  emptyTitle: 'No applications',
  empty:
    'Applications to become a partner appear here. Companies apply through your website, which sends each application to this platform (POST /api/v2/partner-applications). This is switched off by default: ask an engineer whether it is switched on.',
  noMatchTitle: 'No applications match the filter',
  approve: 'Approve',
  approveTitle: (company: string) => `Approve the application of ${company}`,
  approveConsequence:
    'An active partner is created with this name and e-mail address. The applicant is not notified, so send a portal link next.',
  approved: (name: string) => `${name} is now a partner.`,
  reject: 'Reject',
  rejectTitle: (company: string) => `Reject the application of ${company}`,
  rejectConsequence:
    'The application cannot be approved afterwards. The applicant is not notified, and may apply again.',
  rejected: (company: string) => `The application of ${company} was rejected.`,
  note: 'Note',
  noteHint: 'The reason, for other managers.',
} as const;
