CREATE TABLE "chain_identity" (
	"chain_id" bigint PRIMARY KEY NOT NULL,
	"genesis_hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_senders" (
	"address" text PRIMARY KEY NOT NULL,
	"next_nonce" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_transaction_parts" (
	"idempotency_id" text PRIMARY KEY NOT NULL,
	"transaction_id" bigint NOT NULL,
	"position" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "chain_transactions" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"sender" text NOT NULL,
	"nonce" bigint NOT NULL,
	"hash" text NOT NULL,
	"raw" text NOT NULL,
	"replaced_hashes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"contract" text NOT NULL,
	"function_name" text NOT NULL,
	"purpose" text NOT NULL,
	"status" text NOT NULL,
	"block_number" bigint,
	"transaction_index" integer,
	"error" jsonb,
	"operation_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "chain_transaction_parts" ADD CONSTRAINT "chain_transaction_parts_transaction_id_chain_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."chain_transactions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "chain_transactions_sender_nonce" ON "chain_transactions" USING btree ("sender","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "chain_transactions_hash" ON "chain_transactions" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "chain_transactions_status" ON "chain_transactions" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "chain_transactions_block" ON "chain_transactions" USING btree ("block_number");