import type { Schemas } from "../../../../wire/src/routes.ts";

export type Conversion = Schemas["Conversion"];
