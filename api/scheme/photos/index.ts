export { type PhotoFacts, readPhotoFacts } from "./exif.ts";
export { photoRoutes } from "./routes.ts";
export { type KnownPhotos, knownPhotos } from "./store.ts";
