import { readConfig } from "../../../api/config.ts";
import { openPaidOracle } from "./payments.ts";

// A separate paid runtime for tests that kill it; prints its URL.
const env = JSON.parse(process.argv[2] ?? "{}") as Record<string, string>;
const { url } = await openPaidOracle({ config: (more) => readConfig({ ...more, ...env }) });
process.send?.({ url });
