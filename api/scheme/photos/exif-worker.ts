import { parentPort, workerData } from "node:worker_threads";
import exifr from "exifr";

const wantedTags = [
  "DateTimeOriginal",
  "CreateDate",
  "Make",
  "Model",
  "GPSLatitude",
  "GPSLatitudeRef",
  "GPSLongitude",
  "GPSLongitudeRef",
];
const options = {
  tiff: true,
  exif: true,
  gps: true,
  xmp: false,
  icc: false,
  iptc: false,
  jfif: false,
  reviveValues: false,
  sanitize: true,
  mergeOutput: true,
  // The library would copy every tag, and each of thousands may claim all bytes of the photo.
  pick: wantedTags,
};

// The time limit of a photo begins here, so that a slow start takes none of it.
parentPort?.postMessage("started");
parentPort?.postMessage(await exifr.parse(Buffer.from(workerData as Uint8Array), options));
