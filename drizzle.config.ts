import { defineConfig } from "drizzle-kit";

export default defineConfig({ dialect: "postgresql", schema: "./{api,connect/*}/tables.ts", out: "./api/migrations" });
