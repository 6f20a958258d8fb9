import { z } from "@hono/zod-openapi";
import { absoluteUri } from "../../../../wire/src/absolute-uri.ts";
import { listQuery, page } from "../../../platform/http/index.ts";
import { calendarDate, identifier } from "../../../platform/values/text.ts";

const fields = {
  serial: identifier(64).openapi({ example: "SCALE-7" }),
  planId: identifier(128).openapi({ description: "Monitoring plan whose claims are weighed with it." }),
  calibratedOn: calendarDate,
  validUntil: calendarDate.openapi({ description: "Last day on which the calibration is valid." }),
  certificate: z
    .string()
    .max(2048)
    .regex(absoluteUri, "An absolute URI is expected.")
    .openapi({ description: "URI of the calibration's certificate; nothing is fetched." }),
};
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "64 lower-case hexadecimal digits are expected.");

export const newCalibration = z.strictObject({ ...fields, sha256: sha256.optional() }).openapi("NewScaleCalibration");
export type NewCalibration = z.infer<typeof newCalibration>;

export const calibration = z
  .object({ ...fields, sha256: sha256.nullable(), createdAt: z.iso.datetime() })
  .openapi("ScaleCalibration");
export type Calibration = z.infer<typeof calibration>;

export const calibrationPage = page(calibration).openapi("ScaleCalibrationPage");
export const calibrationQuery = listQuery.extend({ planId: identifier(128) });
