ALTER TABLE "chain_transactions" ADD COLUMN "fee_wei" numeric(40, 0);--> statement-breakpoint
CREATE INDEX "chain_transactions_created" ON "chain_transactions" USING btree ("created_at");