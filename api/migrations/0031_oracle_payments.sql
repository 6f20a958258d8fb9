CREATE TABLE "oracle_claims" (
	"id" text PRIMARY KEY NOT NULL,
	"user_did" text NOT NULL,
	"session_id" text NOT NULL,
	"request_id" text NOT NULL,
	"retry_id" text,
	"run_id" text,
	"amount" bigint NOT NULL,
	"payer" text,
	"state" text DEFAULT 'unpaid' NOT NULL,
	"settlement_id" text,
	"refusal" text,
	"transaction_hash" text,
	"paid_block" bigint,
	"created_at" timestamp with time zone NOT NULL,
	"changed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oracle_usage" (
	"user_did" text PRIMARY KEY NOT NULL,
	"messages" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "oracle_claims_retry" ON "oracle_claims" USING btree ("user_did","retry_id") WHERE run_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "oracle_claims_asked" ON "oracle_claims" USING btree ("user_did") WHERE run_id is null;--> statement-breakpoint
CREATE INDEX "oracle_claims_user" ON "oracle_claims" USING btree ("user_did","id");--> statement-breakpoint
CREATE INDEX "oracle_claims_open" ON "oracle_claims" USING btree ("state","id") WHERE state <> 'paid';--> statement-breakpoint
CREATE INDEX "oracle_claims_payer" ON "oracle_claims" USING btree ("payer","paid_block");