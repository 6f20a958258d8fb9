/** Settings that a test gives the page before it loads, as `window.fixture`. */
export type Fixture = {
  /** URL of the oracle. */
  url: string;
  oracleDid: string;
  /** The user's key. */
  secret: string;
  sessionId: string;
  lifetimes?: { delegation?: number; invocation?: number };
  /** Lifetime that the page assumes for tokens, to simulate a wrong clock. */
  believedSeconds?: number;
  /** False to authenticate with a delegation alone. */
  invocation?: boolean;
  streamingMode?: "batched" | "immediate";
};

/** Observations of the page, for a test to read. */
export type Seen = {
  /** Shown statuses in order, without repetition. */
  statuses: string[];
  /** Arguments of each run of a browser tool or an action. */
  runs: { name: string; args: unknown }[];
  /** Arguments of `onPaymentRequiredError`. */
  claims: string[][];
  /** Statuses and arguments of the action's `render`. */
  renders: { status: string | undefined; args: unknown }[];
  /** Number of minted tokens by kind. */
  minted: { delegations: number; invocations: number };
};

declare global {
  interface Window {
    fixture: Fixture;
    seen: Seen;
    /** Finishes the waiting tool. */
    letGo?: () => void;
    /** The page's wallet, if the test provides one. */
    signTransactions?: (messages: object[]) => Promise<unknown>;
  }
}
