/**
 * The number that a gateway gives, in the form in which numbers are registered. A + that the gateway did not escape is read as a space,
 * and some gateways leave it out or write 00.
 */
export function numberGiven(text: string | null): string {
  const digits = /^(?:\+|00)?([1-9]\d{6,14})$/.exec(text?.trim() ?? "")?.[1];
  return digits === undefined ? (text?.trim() ?? "") : `+${digits}`;
}
