import { eventLog, parameter } from "ponder:schema";
import { zeroHash } from "viem";
import { storable } from "../../wire/src/chain-values.ts";
import { activityRow } from "../lib/activity.ts";
import { toInteger } from "../lib/integers.ts";
import { on } from "../lib/on.ts";

on("Parameters:ParameterSet", async ({ event, context: { db } }) => {
  const { parameter: number, superseded } = event.args;
  const entry = storable(event.args.entry);
  await db.insert(parameter).values({
    number,
    kind: entry.kind,
    key: entry.key,
    value: entry.value,
    decimals: entry.decimals,
    unit: entry.unit,
    source: entry.source,
    sourceHash: entry.sourceHash === zeroHash ? null : entry.sourceHash,
    validFrom: toInteger(entry.validFrom),
    validTo: entry.validTo === 0 ? null : toInteger(entry.validTo),
    supersededBy: null,
    setAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  if (superseded !== 0) await db.update(parameter, { number: superseded }).set({ supersededBy: number });
  await db.insert(eventLog).values(activityRow("ParameterSet", event, {}));
});
