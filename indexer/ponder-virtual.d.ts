/// <reference types="ponder/virtual" />

// Committed twin of the file that Ponder writes at each start (and git ignores), so that types check without a start.
declare module "ponder:internal" {
  const config: typeof import("./ponder.config.ts");
  const schema: typeof import("./ponder.schema.ts");
}

declare module "ponder:schema" {
  export * from "./ponder.schema.ts";
}
