/** The texts of lists, their filters and their export. They are not part of `texts`, because the first page that opens needs none of them. */
export const listTexts = {
  firstPage: 'Newest',
  nextPage: 'Older',
  pages: 'Pages',
  emptyPageTitle: 'This page is empty',
  emptyPage: 'The entries of this page are no longer in the list. The first page may still have entries.',
  toFirstPage: 'Go to the first page',
  clear: (filter: string) => `Clear the filter “${filter}”`,
  nothingFound: 'Nothing was found.',
  dayOutOfRange: 'Enter a date from 2000 to 9998.',
  dayBeforeFrom: 'This day is before “From”. Choose a later one.',
  dayAfterTo: 'This day is after “To”. Choose an earlier one.',
  salesCsv: {
    export: 'Export as CSV',
    exporting: (size: string) => `Exporting… ${size} so far`,
    exported: 'The export was saved.',
    nothingExported: 'No file was saved: there are no sales in this period or with these filters.',
    columns: 'Columns of the CSV file (new tab)',
  },
} as const;
