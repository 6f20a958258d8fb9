import { readConfig } from "../../../api/config.ts";
import { openPaidOracle } from "./payments.ts";

// A paid runtime of its own for tests that kill it: says where it listens.
const env = JSON.parse(process.argv[2] ?? "{}") as Record<string, string>;
const { url } = await openPaidOracle({ config: (more) => readConfig({ ...more, ...env }) });
process.send?.({ url });
