import { isLosslessNumber } from "lossless-json";
import { defineRules, type RuleDetail } from "../../platform/errors.ts";
import { isObject, type JsonObject } from "./credential-token.ts";

/** Clock skew in seconds that is tolerated at the start of a credential's validity; none is at its end. */
export const START_SKEW_SECONDS = 60;
/** A larger number of seconds must be milliseconds by mistake (11 digits reach the year 5138). */
const MAX_SECONDS = 100_000_000_000;
const XSD_DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/;

export type CredentialDates = { issuedAt: Date | null; validFrom: Date | null; validUntil: Date | null };
export type DateReview = { dates: CredentialDates; problems: RuleDetail[] };
type Stated = { name: string; at: Date };

const path = "verifiableCredential";
const broken = defineRules({
  "credential-date-not-valid": ["not-expired", "{name} is not a valid date"],
  "credential-not-yet-valid": ["not-expired", "Not valid before {time} ({name})"],
  "credential-expired": ["not-expired", "Expired at {time} ({name})"],
});

/**
 * Check every date of a credential, in the token's claims and in the credential itself.
 * The latest start and the earliest end count. An unreadable date is a problem; it does not count as absent.
 */
export function reviewDates(payload: JsonObject, now: Date): DateReview {
  const problems: RuleDetail[] = [];
  const read = (names: string[], from: JsonObject, parse: (value: unknown) => Date | null): Stated[] =>
    names.flatMap((name) => {
      if (from[name] === undefined) return [];
      const at = parse(from[name]);
      if (at) return [{ name, at }];
      problems.push(broken("credential-date-not-valid", path, { name }));
      return [];
    });
  const views = isObject(payload.vc) ? [payload, payload.vc] : [payload];
  const fromViews = (names: string[]) => views.flatMap((view) => read(names, view, parseDateTime));
  const issued = [...read(["iat"], payload, parseSeconds)];
  const starts = [...read(["nbf"], payload, parseSeconds), ...fromViews(["validFrom", "issuanceDate"])];
  const ends = [...read(["exp"], payload, parseSeconds), ...fromViews(["validUntil", "expirationDate"])];
  for (const { name, at } of [...issued, ...starts]) {
    if (at.getTime() > now.getTime() + START_SKEW_SECONDS * 1000) {
      problems.push(broken("credential-not-yet-valid", path, { name, time: at.toISOString() }));
    }
  }
  for (const { name, at } of ends) {
    if (at.getTime() > now.getTime()) continue;
    problems.push(broken("credential-expired", path, { name, time: at.toISOString() }));
  }
  const validFrom = latest(starts);
  return { dates: { issuedAt: issued[0]?.at ?? validFrom, validFrom, validUntil: earliest(ends) }, problems };
}

/** Parse an xsd:dateTime with its time zone; null for any other text and for days that do not exist. */
export function parseDateTime(value: unknown): Date | null {
  if (typeof value !== "string") return null;
  const match = XSD_DATE_TIME.exec(value);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth || hour > 23 || minute > 59 || second > 59) return null;
  return new Date(value);
}

function parseSeconds(value: unknown): Date | null {
  const seconds = isLosslessNumber(value) ? Number(value.toString()) : Number.NaN;
  return seconds >= 0 && seconds < MAX_SECONDS ? new Date(seconds * 1000) : null;
}

function latest(stated: Stated[]): Date | null {
  return stated.reduce<Date | null>((most, { at }) => (most && most >= at ? most : at), null);
}

function earliest(stated: Stated[]): Date | null {
  return stated.reduce<Date | null>((least, { at }) => (least && least <= at ? least : at), null);
}
