/** What a test tells the page before it loads, as `window.fixture`. */
export type Fixture = {
  /** Where the oracle is for this page. */
  url: string;
  oracleDid: string;
  /** The user's key. */
  secret: string;
  sessionId: string;
  lifetimes?: { delegation?: number; invocation?: number };
  /** What the page takes for the tokens' lifetime, when that is not what they say: a clock that is wrong. */
  believedSeconds?: number;
  /** False: the page shows a delegation alone. */
  invocation?: boolean;
  streamingMode?: "batched" | "immediate";
};

/** What the page has seen, for a test to read. */
export type Seen = {
  /** Each status that was shown, in order, without repetition. */
  statuses: string[];
  /** Arguments of each run of a browser tool or an action. */
  runs: { name: string; args: unknown }[];
  /** What `onPaymentRequiredError` was called with. */
  claims: string[][];
  /** Each status and the arguments that the action's `render` was called with. */
  renders: { status: string | undefined; args: unknown }[];
  /** How many tokens of each kind were minted. */
  minted: { delegations: number; invocations: number };
};

declare global {
  interface Window {
    fixture: Fixture;
    seen: Seen;
    /** Ends the tool that holds on. */
    letGo?: () => void;
    /** The wallet, where a test gives the page one. */
    signTransactions?: (messages: object[]) => Promise<unknown>;
  }
}
