import { customType } from "drizzle-orm/pg-core";

/** A column of bytes: a Buffer from PostgreSQL, a plain Uint8Array from PGlite. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
