import type { ErrorCode } from "../errors.ts";
import { formatScaled } from "../http/numbers.ts";

/** What a caller is told of a contract's error: a sentence, or one made of the error's arguments. */
export type Refusal = [code: ErrorCode, rule: string, message: string | ((args: readonly unknown[]) => string)];
/** By the error's name. */
export type Refusals = Record<string, Refusal>;

/** CARBON of an argument in micro-CARBON; 0 where only the error's selector is known. */
export const carbonOf = (argument: unknown): string => formatScaled(BigInt(String(argument ?? 0)), 6);
