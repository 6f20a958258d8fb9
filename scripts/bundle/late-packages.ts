/*
 * Large packages that the API loads only when it uses them. A name that ends with `*` stands for all that begin with it.
 */

/** The API's program leaves these in `node_modules`. They take no objects of packages that the program contains. */
export const separatePackages: readonly string[] = [
  "@opentelemetry/sdk-node",
  "@opentelemetry/exporter-trace-otlp-http",
  // Calls and voices.
  "werift",
  "opusscript",
  "@echogarden/fvad-wasm",
  // Credentials and DIDs: some of these load ethers.
  "@veramo/*",
  "did-jwt",
  "ethr-did-resolver",
  "ethers",
  "@ethereumjs/*",
  "@openzeppelin/merkle-tree",
  // Keys and blobs elsewhere.
  "@aws-sdk/*",
  "@aws-crypto/client-node",
  // Documents.
  "vega",
  "pdfkit",
  "exceljs",
  "qrcode",
  "diff",
  "fast-json-patch",
  // Messages.
  "nodemailer",
  "web-push",
  "smpp",
  "twilio",
  // A process on PostgreSQL never loads it.
  "@electric-sql/*",
];

/** The program contains these in separate files, because they share schemas or ids with what it loads at its start. */
export const bundledLatePackages: readonly string[] = [
  // The agent's loop, external tools, and the protocol for tools of files.
  "ai",
  "@ai-sdk/*",
  "@modelcontextprotocol/*",
  "ipfs-unixfs-importer",
  "drizzle-orm/pglite",
];
