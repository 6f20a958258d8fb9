import type { ErrorCode } from "../../errors.ts";
import { formatScaled } from "../../values/numbers.ts";

/** The error that a caller gets for a contract's error. The message is fixed or built from the error's arguments. */
export type ErrorMeaning = [code: ErrorCode, rule: string, message: string | ((args: readonly unknown[]) => string)];
/** Meanings by the error's name. */
export type ErrorMeanings = Record<string, ErrorMeaning>;

/** When a cap of 24 hours, counted in half days, has room again; see contracts/shared/Flows.sol. */
export const roomByHalfDays = "What was used is free again at 00:00 or 12:00 UTC, 24 to 36 hours later.";
/** When a cap of one hour, counted in half hours, has room again. */
export const roomByHalfHours = "What was used is free again at a full or half hour, 60 to 90 minutes later.";
/** When a limit that refills evenly has room again; see contracts/shared/DayBucket.sol. */
export const roomEvenly = "The limit refills evenly, all of it within 24 hours.";

/** Format an argument in micro-CARBON as CARBON; 0 where only the error's selector is known. */
export const carbonOf = (argument: unknown): string => formatScaled(BigInt(String(argument ?? 0)), 6);
