/** Returns whether a text has the form of a voucher group's id. A request with any other text is refused without a query. */
export const isGroupId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
