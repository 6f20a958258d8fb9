// Dependencies point one way: contracts → nothing; indexer → deployments; api → deployments and indexer/schema;
// inside the API platform ← scheme, files, oracle ← compose; sdk → nothing; web → sdk. docs/architecture.md shows the map.
const source = "\\.ts$";
// Shared by the launcher, the API and the indexer: a folder's lock, a watchdog that ends a child with its parent, secrets from files, exit codes,
// new embedded databases.
// They are in scripts/ because the launcher needs the lock before anything is installed.
const processes =
  "^scripts/(process-lock\\.cjs|(?:stack/exit-codes|parent-watchdog|secret-files|databases/(?:kept-folder|empty-database))\\.ts)$";
const tests = "\\.test\\.ts$";
/** A file of a feature of the platform or the scheme. */
const feature = "^api/(?:platform|scheme)/[^/]+/.";
/** What others may import of the platform and the scheme: entries, and modules that stand by themselves. */
const entry = "^api/(?:platform|scheme)/[^/]+/index\\.ts$|^api/platform/(?:values|ports)/[^/]+\\.ts$";

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      // A page that is loaded when it is opened may name those that led to it.
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only", "dynamic-import"] } },
    },
    {
      name: "no-cycles-in-console-and-wire",
      comment: "Type imports and pages that are loaded later count, too.",
      severity: "error",
      from: { path: "^(web|wire)/src/" },
      to: { circular: true },
    },
    {
      name: "no-cycles-in-api",
      comment: "Type imports count, too; a module that is loaded later does not.",
      severity: "error",
      from: { path: "^api/", pathNot: tests },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["dynamic-import"] } },
    },
    {
      name: "platform-imports-nothing-above",
      severity: "error",
      from: { path: "^api/platform/", pathNot: tests },
      to: { path: "^api/(scheme|files|oracle)/" },
    },
    {
      name: "scheme-files-and-oracle-are-apart",
      comment: "They meet through platform/ports.",
      severity: "error",
      from: { path: "^api/(scheme|files|oracle)/", pathNot: tests },
      to: { path: "^api/(scheme|files|oracle)/", pathNot: "^api/$1/" },
    },
    {
      name: "only-the-composition-knows-everything",
      comment: "main, compose, app, config, tables and sealed-columns import features; no feature imports them.",
      severity: "error",
      from: { path: "^api/(platform|scheme|files|oracle)/", pathNot: tests },
      to: { path: "^api/[^/]+\\.ts$" },
    },
    {
      name: "features-import-entries-of-other-features",
      severity: "error",
      from: { path: "^api/(platform|scheme)/([^/]+)/.", pathNot: tests },
      to: { path: feature, pathNot: [entry, "^api/$1/$2/"], dependencyTypesNot: ["dynamic-import"] },
    },
    {
      name: "the-rest-imports-entries-of-features",
      severity: "error",
      from: { path: "^api/", pathNot: [feature, tests, "^api/tables\\.ts$"] },
      to: { path: feature, pathNot: entry, dependencyTypesNot: ["dynamic-import"] },
    },
    {
      name: "tables-imports-tables",
      severity: "error",
      from: { path: "^api/tables\\.ts$" },
      to: { path: "^api/", pathNot: "/(tables|schema)\\.ts$" },
    },
    {
      name: "files-and-oracle-are-imported-through-their-entries",
      comment: "Besides their parts of the configuration and of the database's schema, which load nothing else.",
      severity: "error",
      from: { path: "^api/[^/]+\\.ts$", pathNot: tests },
      to: {
        path: "^api/(files|oracle)/",
        pathNot: "^api/(files|oracle)/(index|configuration|schema|tables)\\.ts$",
      },
    },
    {
      name: "rooms-use-wire-and-small-pieces-of-the-platform",
      comment:
        "Tools for routes, idempotent writes, tables, keys and files. What a room knows of the scheme, it knows through wire's client.",
      severity: "error",
      from: { path: "^connect/", pathNot: tests },
      to: {
        path: "^(api|contracts|deployments|indexer|scripts|sdk|test|bench|web)/",
        pathNot: [
          "^api/platform/(http|db|idempotency|keys|operations|outbound|workers)/index\\.ts$",
          "^api/platform/(values|ports)/[^/]+\\.ts$",
          "^api/platform/(bounded-cache|clock|config-error|errors|log|new-id|sealed-columns|secret-box)\\.ts$",
        ],
      },
    },
    {
      name: "rooms-are-apart",
      comment:
        "But connect/records: how records become households, devices and claims. Rooms that receive records share it.",
      severity: "error",
      from: { path: "^connect/([^/]+)/", pathNot: tests },
      to: { path: "^connect/[^/]+/", pathNot: "^connect/(?:$1|records)/" },
    },
    {
      name: "only-the-composition-knows-rooms",
      severity: "error",
      from: {
        path: "^(api|indexer|sdk|web|wire|deployments)/",
        pathNot: [tests, "^api/(compose|sealed-columns)\\.ts$"],
      },
      to: { path: "^connect/" },
    },
    {
      name: "no-cycles-in-connect",
      severity: "error",
      from: { path: "^connect/", pathNot: tests },
      to: { circular: true },
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
      to: { path: "^(api|scripts|test|bench)/", pathNot: processes },
    },
    {
      name: "api-reads-deployments-and-index-schema",
      severity: "error",
      from: { path: `^api/.*${source}`, pathNot: tests },
      to: { path: "^(scripts|test|bench|indexer/(?!schema/))", pathNot: processes },
    },
    {
      name: "scripts-are-not-imported",
      severity: "error",
      from: { path: "^(api|indexer|deployments)/", pathNot: tests },
      to: { path: "^scripts/", pathNot: processes },
    },
    {
      name: "api-reads-the-frames-of-calls-and-nothing-else-of-the-sdk",
      comment: "Both ends of an encrypted call read one format: modules without a browser and without React.",
      severity: "error",
      from: { path: `^api/.*${source}`, pathNot: tests },
      to: { path: "^(web/|sdk/(?!src/live-agent/(sframe|replay-window|media-frames|call-keys)\\.ts$))" },
    },
    {
      name: "sdk-stands-alone",
      comment: "It is published: what is not in its folder or its dependencies is not there. Types vanish.",
      severity: "error",
      from: { path: "^sdk/src/" },
      to: {
        path: "^(api|contracts|deployments|indexer|scripts|test|bench|web)/",
        dependencyTypesNot: ["type-only", "pre-compilation-only"],
      },
    },
    {
      name: "wire-stands-alone",
      comment: "It is published, and every part of Hearth may use it.",
      severity: "error",
      from: { path: "^wire/" },
      to: { path: "^(api|contracts|deployments|indexer|scripts|sdk|test|bench|web)/" },
    },
    {
      name: "sdk-core-knows-no-react",
      severity: "error",
      from: { path: "^sdk/src/core(/|\\.ts$)" },
      to: { path: "^sdk/src/(react|live-agent)/|node_modules/react" },
    },
    {
      name: "web-uses-wire-and-the-sdk-alone",
      comment:
        "Answers and their types come from wire, so that a changed schema fails the check of the console's types.",
      severity: "error",
      from: { path: "^web/src/" },
      to: { path: "^(api|contracts|indexer|scripts|test|bench)/" },
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
      from: { path: `^api/scheme/emissions/.*${source}`, pathNot: [tests, "/(routes|schemas)\\.ts$"] },
      to: {
        pathNot:
          "^api/(scheme/emissions/|platform/errors\\.ts$|platform/values/numbers\\.ts$)|^node_modules/(acorn|decimal\\.js|@stdlib)/",
      },
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
      extensions: [".ts", ".tsx", ".js", ".cjs", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
    },
  },
};
