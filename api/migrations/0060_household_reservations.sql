CREATE TABLE "certificate_reservations" (
	"transaction_id" bigint PRIMARY KEY NOT NULL,
	"certificate_id" text NOT NULL,
	"vintage" integer NOT NULL,
	"start_date" date NOT NULL,
	"end_date" date NOT NULL,
	"is_of_campaign" boolean NOT NULL,
	"households" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "certificate_drafts" ADD COLUMN "campaign_households" "bytea";--> statement-breakpoint
ALTER TABLE "certificate_reservations" ADD CONSTRAINT "certificate_reservations_transaction_id_chain_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."chain_transactions"("id") ON DELETE cascade ON UPDATE no action;