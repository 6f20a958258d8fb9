// The code that signs with the person's key. It is large, so it is loaded when a key is first used: load-signing.ts.
export * from "./mint.ts";
export * from "./signing-key.ts";
