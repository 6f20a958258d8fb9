import { runPool } from "./pool/run.ts";

process.exitCode = await runPool(process.argv.slice(2));
