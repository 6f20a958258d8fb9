/** What went wrong with a wallet; for `other`, the wallet's message is shown. */
export type WalletProblem = "refused" | "busy" | "absent" | "disconnected" | "network" | "account" | "other";

/** Codes of EIP-1193, and MetaMask's code for a question that is already open. */
const problems: Record<number, WalletProblem> = {
  4001: "refused",
  4100: "account",
  4900: "disconnected",
  4901: "network",
  4902: "network",
  [-32002]: "busy",
};

export class WalletError extends Error {
  readonly problem: WalletProblem;
  readonly code: number | undefined;

  constructor(problem: WalletProblem, message = "", options: { code?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "WalletError";
    this.problem = problem;
    this.code = options.code;
  }
}

/** Convert what a wallet threw, usually a plain object, to an error that a page can show. */
export function walletErrorOf(thrown: unknown): WalletError {
  if (thrown instanceof WalletError) return thrown;
  const { code, message } = (typeof thrown === "object" && thrown !== null ? thrown : {}) as Record<string, unknown>;
  const number = typeof code === "number" ? code : undefined;
  const problem = (number === undefined ? undefined : problems[number]) ?? "other";
  const text = typeof message === "string" && message !== "" ? message : String(thrown);
  return new WalletError(problem, text, { code: number, cause: thrown });
}
