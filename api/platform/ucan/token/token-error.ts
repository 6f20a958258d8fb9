import { AppError, type RuleDetail } from "../../errors.ts";

/** Codes of a bad token, all 401. The first that applies is the answer's; `details` names every broken rule. */
export const tokenCodes = [
  "INVALID_TOKEN",
  "WRONG_AUDIENCE",
  "EXPIRED",
  "TOO_EARLY",
  "ESCALATION",
  "REVOKED",
  "REPLAYED",
] as const;
export type TokenCode = (typeof tokenCodes)[number];

export type TokenProblem = { code: TokenCode; rule: string; message: string; path?: string };

/** Throw if there are problems. @throws AppError 401 with the first code that applies */
export function refuseToken(problems: readonly TokenProblem[]): void {
  const code = tokenCodes.find((each) => problems.some((problem) => problem.code === each));
  if (code === undefined) return;
  const details = problems.map(({ code: _, ...detail }): RuleDetail => detail).slice(0, 50);
  throw new AppError(code, sentences[code], { details });
}

const sentences: Record<TokenCode, string> = {
  INVALID_TOKEN: "The token is not valid; see details.",
  WRONG_AUDIENCE: "The token, or a link of its chain, is addressed to another DID.",
  EXPIRED: "The token, or a link of its chain, has expired.",
  TOO_EARLY: "The token, or a link of its chain, is not valid yet.",
  ESCALATION: "The token claims more than its chain gives.",
  REVOKED: "The token, or a link of its chain, has been revoked.",
  REPLAYED: "The token serves once and has been used.",
};

/** @throws AppError INVALID_TOKEN for one broken rule */
export function invalidToken(rule: string, message: string, path?: string): never {
  refuseToken([{ code: "INVALID_TOKEN", rule, message, ...(path === undefined ? {} : { path }) }]);
  throw new Error("unreachable");
}
