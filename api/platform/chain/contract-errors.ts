import type { ErrorCode } from "../errors.ts";
import { formatScaled } from "../values/numbers.ts";

/** What a caller is told of a contract's error: a sentence, or one made of the error's arguments. */
export type ErrorMeaning = [code: ErrorCode, rule: string, message: string | ((args: readonly unknown[]) => string)];
/** By the error's name. */
export type ErrorMeanings = Record<string, ErrorMeaning>;

/** When there is room again under a cap of 24 hours that the chain keeps by half days, see contracts/shared/Flows.sol. */
export const roomByHalfDays = "What was used is free again at 00:00 or 12:00 UTC, 24 to 36 hours later.";
/** The same for a cap of an hour. */
export const roomByHalfHours = "What was used is free again at a full or half hour, 60 to 90 minutes later.";
/** Under a limit that the chain refills evenly, see contracts/shared/DayBucket.sol. */
export const roomEvenly = "The limit refills evenly, all of it within 24 hours.";

/** CARBON of an argument in micro-CARBON; 0 where only the error's selector is known. */
export const carbonOf = (argument: unknown): string => formatScaled(BigInt(String(argument ?? 0)), 6);
