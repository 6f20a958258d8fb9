CREATE TABLE "itmo_answers" (
	"conversion" integer PRIMARY KEY NOT NULL,
	"status" text NOT NULL,
	"registry_id" text,
	"first_id" text,
	"last_id" text,
	"reason" text,
	"transaction_hash" text NOT NULL,
	"block_number" integer NOT NULL,
	"answered_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "itmo_approaches" (
	"cooperative_approach_id" text PRIMARY KEY NOT NULL,
	"approach" integer NOT NULL,
	"first_transferring_party_id" text NOT NULL,
	"participating_party_ids" jsonb NOT NULL,
	"sectors" jsonb NOT NULL,
	"activity_type" text NOT NULL,
	"ndc_first_year" integer NOT NULL,
	"ndc_last_year" integer NOT NULL,
	"transaction_hash" text NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "itmo_approaches_approach_unique" UNIQUE("approach")
);
--> statement-breakpoint
CREATE TABLE "itmo_authorizations" (
	"authorization_id" text PRIMARY KEY NOT NULL,
	"authorization" integer NOT NULL,
	"approach" integer NOT NULL,
	"date" text NOT NULL,
	"purpose" text NOT NULL,
	"first_transfer_definition" text,
	"first_year" integer NOT NULL,
	"last_year" integer NOT NULL,
	"omge_share" integer NOT NULL,
	"sop_share" integer NOT NULL,
	"entities" jsonb NOT NULL,
	"terms" jsonb NOT NULL,
	"transaction_hash" text NOT NULL,
	"registered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "itmo_authorizations_authorization_unique" UNIQUE("authorization")
);
--> statement-breakpoint
CREATE TABLE "itmo_conversions" (
	"conversion" integer PRIMARY KEY NOT NULL,
	"implementer" integer NOT NULL,
	"authorization" integer NOT NULL,
	"approach" integer NOT NULL,
	"account" text NOT NULL,
	"vintage" integer NOT NULL,
	"transaction_hash" text NOT NULL,
	"block_number" integer NOT NULL,
	"requested_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "itmo_settlements" (
	"settlement_id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"reference" text NOT NULL,
	"conversion" integer NOT NULL,
	"first_id" text,
	"amount" text NOT NULL,
	"currency" text NOT NULL,
	"document_cid" text NOT NULL,
	"record_hash" text NOT NULL,
	"recorded_by" text NOT NULL,
	"recorded_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "itmo_conversions_implementer" ON "itmo_conversions" USING btree ("implementer","conversion");--> statement-breakpoint
CREATE INDEX "itmo_conversions_authorization" ON "itmo_conversions" USING btree ("authorization","conversion");--> statement-breakpoint
CREATE UNIQUE INDEX "itmo_settlements_reference" ON "itmo_settlements" USING btree ("type","reference");--> statement-breakpoint
CREATE INDEX "itmo_settlements_conversion" ON "itmo_settlements" USING btree ("conversion","settlement_id");