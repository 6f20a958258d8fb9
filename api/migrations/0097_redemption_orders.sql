CREATE TABLE "redemption_orders" (
	"transaction_id" bigint NOT NULL,
	"position" integer NOT NULL,
	"channel" text NOT NULL,
	"role" text NOT NULL,
	"caller" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "redemption_orders_transaction_id_position_pk" PRIMARY KEY("transaction_id","position")
);
--> statement-breakpoint
ALTER TABLE "redemption_orders" ADD CONSTRAINT "redemption_orders_transaction_id_chain_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."chain_transactions"("id") ON DELETE cascade ON UPDATE no action;