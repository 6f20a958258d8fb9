// Dependencies point one way: contracts → nothing; indexer → deployments; api → deployments and indexer/schema;
// inside the API routes → service → store, and a feature reaches another only through what deps hand in.
const source = "\\.ts$";
// The launcher needs the lock before anything is installed, so it lies with the launcher.
const lock = "^scripts/process-lock\\.cjs$";
const tests = "(\\.test\\.ts|/testing[a-z-]*\\.ts)$";

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "deployments-stand-alone",
      severity: "error",
      from: { path: "^deployments/" },
      to: { path: "^(api|indexer|scripts|test|bench)/" },
    },
    {
      name: "indexer-reads-deployments",
      severity: "error",
      from: { path: "^indexer/" },
      to: { path: "^(api|scripts|test|bench)/" },
    },
    {
      name: "api-reads-deployments-and-index-schema",
      severity: "error",
      from: { path: `^api/.*${source}`, pathNot: tests },
      to: { path: "^(scripts|test|bench|indexer/(?!schema/))", pathNot: lock },
    },
    {
      name: "scripts-are-not-imported",
      severity: "error",
      from: { path: "^(api|indexer|deployments)/", pathNot: tests },
      to: { path: "^scripts/", pathNot: lock },
    },
    {
      name: "services-know-no-http-framework",
      severity: "error",
      from: { path: "^api/.*/service\\.ts$" },
      to: { path: "node_modules/(hono|@hono)/" },
    },
    {
      name: "stores-know-no-service",
      severity: "error",
      from: { path: "^api/.*/store\\.ts$" },
      to: { path: "^api/.*/(service|routes)\\.ts$" },
    },
    {
      name: "emissions-are-a-pure-library",
      comment: "No files, network, clock or server: an auditor calculates with it offline.",
      severity: "error",
      from: { path: `^api/emissions/.*${source}`, pathNot: [tests, "/(routes|schemas)\\.ts$"] },
      to: { pathNot: "^api/(emissions/|errors\\.ts$|http/numbers\\.ts$)|^node_modules/(decimal\\.js|@stdlib)/" },
    },
    {
      name: "services-know-no-routes",
      severity: "error",
      from: { path: "^api/.*/service\\.ts$" },
      to: { path: "^api/.*/routes\\.ts$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(artifacts|cache|\\.node)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js", ".cjs", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  },
};
