// The encrypted, versioned file store. Outside this folder only this entry is imported, besides configuration.ts (which loads nothing
// else) and schema.ts (its tables).

export { blobCheck } from "./blob-check.ts";
export type { FileDeps, FileParts } from "./deps.ts";
export { upkeepRoutes } from "./fsck/routes.ts";
export { Upkeep } from "./fsck/upkeep.ts";
export { addFileGauges } from "./gauges.ts";
export { mountFiles, mountUploadOptions } from "./http/mount.ts";
export { openFiles } from "./open-files.ts";
export { startUploadSweeper } from "./uploads/sweeper.ts";
