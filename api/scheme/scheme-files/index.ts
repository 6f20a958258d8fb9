export {
  campaignFolder,
  digestOf,
  readSchemeFile,
  type SchemeDeps,
  SchemeFiles,
  segmentOf,
  storeSchemeFile,
} from "./scheme-files.ts";
