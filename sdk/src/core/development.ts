declare const process: { env: { NODE_ENV?: string } };

/** Bundlers write the value in its place; a page without a bundler has no such thing, and is told nothing. */
function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== "production";
  } catch {
    return false;
  }
}

/** Tell a developer what users need not see. */
export function logInDevelopment(...what: unknown[]): void {
  if (isDevelopment()) console.warn("[oracles-client-sdk]", ...what);
}
