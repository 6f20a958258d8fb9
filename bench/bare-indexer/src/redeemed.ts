import { ponder } from "ponder:registry";
import { redeemed } from "../ponder.schema.ts";

ponder.on("Vouchers:VoucherRedeemed", async ({ event, context }) => {
  const { redemption: id, supplier, amount } = event.args;
  await context.db.insert(redeemed).values({ id, supplier, amount, transactionHash: event.transaction.hash });
});
