declare const process: { env: { NODE_ENV?: string } };

/** Bundlers replace the expression. Without a bundler `process` is missing, and nothing is logged. */
function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== "production";
  } catch {
    return false;
  }
}

/** Log a warning for developers, in development builds only. */
export function logInDevelopment(...what: unknown[]): void {
  if (isDevelopment()) console.warn("[oracles-client-sdk]", ...what);
}
