CREATE TABLE "payout_accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"supplier_did" text NOT NULL,
	"partner_id" text NOT NULL,
	"sealed_number" text NOT NULL,
	"sealed_holder" text NOT NULL,
	"set_by" text NOT NULL,
	"set_by_role" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"applies_at" timestamp with time zone NOT NULL,
	"dropped_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "payout_attempts" (
	"reference" text PRIMARY KEY NOT NULL,
	"payment_id" text NOT NULL,
	"number" integer NOT NULL,
	"partner_id" text NOT NULL,
	"account_id" text NOT NULL,
	"sealed_number" text NOT NULL,
	"sealed_holder" text NOT NULL,
	"status" text NOT NULL,
	"calls" integer NOT NULL,
	"not_made" integer NOT NULL,
	"is_refused" boolean NOT NULL,
	"reason" text,
	"partner_transaction" text,
	"turns" integer NOT NULL,
	"next_try_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"called_at" timestamp with time zone,
	"sent_at" timestamp with time zone,
	"asked_at" timestamp with time zone,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "payout_orders" (
	"payment_id" text PRIMARY KEY NOT NULL,
	"claim_id" text NOT NULL,
	"supplier_did" text NOT NULL,
	"account" text NOT NULL,
	"stablecoin" bigint NOT NULL,
	"transaction_hash" text NOT NULL,
	"block_number" bigint NOT NULL,
	"paid_at" timestamp with time zone NOT NULL,
	"status" text NOT NULL,
	"waits_for" text,
	"attempts" integer NOT NULL,
	"currency" text,
	"rate_id" text,
	"rate" bigint,
	"amount" bigint,
	"remainder" bigint,
	"next_try_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "payout_partners" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"account" text NOT NULL,
	"currency" text NOT NULL,
	"unit_decimals" integer NOT NULL,
	"sealed_settings" text NOT NULL,
	"sealed_token" text NOT NULL,
	"secret_hash" text NOT NULL,
	"key_id" text NOT NULL,
	"sealed_key" text NOT NULL,
	"pay_from" timestamp with time zone NOT NULL,
	"cursor" text,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "payout_rates" (
	"id" text PRIMARY KEY NOT NULL,
	"currency" text NOT NULL,
	"rate" bigint NOT NULL,
	"recorded_by" text NOT NULL,
	"recorded_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "payout_attempts" ADD CONSTRAINT "payout_attempts_payment_id_payout_orders_payment_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."payout_orders"("payment_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "payout_accounts_supplier" ON "payout_accounts" USING btree ("supplier_did","id");--> statement-breakpoint
CREATE UNIQUE INDEX "payout_attempts_number" ON "payout_attempts" USING btree ("payment_id","number");--> statement-breakpoint
CREATE INDEX "payout_attempts_due" ON "payout_attempts" USING btree ("next_try_at") WHERE "payout_attempts"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "payout_orders_paid" ON "payout_orders" USING btree ("paid_at","payment_id");--> statement-breakpoint
CREATE INDEX "payout_orders_supplier" ON "payout_orders" USING btree ("supplier_did","paid_at","payment_id");--> statement-breakpoint
CREATE INDEX "payout_orders_due" ON "payout_orders" USING btree ("status","next_try_at");--> statement-breakpoint
CREATE INDEX "payout_rates_currency" ON "payout_rates" USING btree ("currency","id");