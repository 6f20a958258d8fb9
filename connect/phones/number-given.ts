/**
 * The number that a gateway gives, in the form in which numbers are registered. A + that the gateway did not escape is read as a space,
 * and some gateways leave it out or write 00.
 */
export function numberGiven(text: string | null): string {
  const given = text?.trim() ?? "";
  const digits = /^(?:\+|00)?([1-9]\d{6,14})$/.exec(given)?.[1];
  return digits === undefined ? given : `+${digits}`;
}
