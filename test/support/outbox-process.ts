// A separate process that writes through the outbox, for tests: registers suppliers and prints each one that it may acknowledge.

import { readConfig } from "../../api/config.ts";
import { openChain } from "../../api/platform/chain/chain.ts";
import { submitCall } from "../../api/platform/chain/submit.ts";
import { openDatabase } from "../../api/platform/db/client.ts";
import { createLog } from "../../api/platform/log.ts";
import { newWorkers } from "./workers.ts";

const [prefix = "p", count = "30", inFlight = "30"] = process.argv.slice(2);
const config = readConfig(process.env);
const log = createLog(config);
const { db, close } = await openDatabase(config, log);
const chain = await openChain({ config, db, log, workers: newWorkers({ log }) });
process.stdout.write("ready\n");

let next = 0;
async function register(): Promise<void> {
  while (next < Number(count)) {
    const did = `did:test:${prefix}-${next++}`;
    const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
    const mined = await submitCall(
      { chain },
      { idempotencyKey: did },
      {
        sender: "registrar",
        contract: "participants",
        functionName: "registerSupplier",
        args: [did, account, "Shop", "north"],
        gas: 300_000n,
        purpose: "test",
      },
    );
    process.stdout.write(`${did} ${mined.transactionHash}\n`);
  }
}
await Promise.all(Array.from({ length: Number(inFlight) }, register));
await chain.close();
await close();
process.stdout.write("done\n");
