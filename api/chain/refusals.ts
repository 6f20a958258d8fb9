import type { ErrorCode } from "../errors.ts";

/** What a caller is told of a contract's error: a sentence, or one made of the error's arguments. */
export type Refusal = [code: ErrorCode, rule: string, message: string | ((args: readonly unknown[]) => string)];
/** By the error's name. */
export type Refusals = Record<string, Refusal>;
