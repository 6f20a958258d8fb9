export { type PhotoFacts, readPhotoFacts } from "./exif.ts";
export type { UnusedPhoto } from "./kept-photos.ts";
export { type EvidenceFinder, startPhotoRelease } from "./release-photos.ts";
export { photoRoutes } from "./routes.ts";
export { type KnownPhotos, knownPhotos } from "./store.ts";
