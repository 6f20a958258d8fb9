CREATE TABLE "kpt_claims" (
	"id" text PRIMARY KEY NOT NULL,
	"sequence" bigserial NOT NULL,
	"campaign" integer NOT NULL,
	"campaign_id" text NOT NULL,
	"group" text NOT NULL,
	"position" integer NOT NULL,
	"number" integer NOT NULL,
	"household_did" text NOT NULL,
	"household_hash" text NOT NULL,
	"start_day" integer NOT NULL,
	"end_day" integer NOT NULL,
	"total_grams" bigint NOT NULL,
	"logs" integer NOT NULL,
	"content_hash" text NOT NULL,
	"idempotency_id" text,
	"status" text NOT NULL,
	"reason" text,
	"claim_hash" text,
	"evidence" jsonb,
	"credential" text,
	"credential_hash" text,
	"transaction_hash" text,
	"block_number" bigint,
	"filed_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "kpt_claims_idempotency_id_unique" UNIQUE("idempotency_id"),
	CONSTRAINT "kpt_claims_place" UNIQUE("campaign","group","position","number")
);
--> statement-breakpoint
CREATE TABLE "kpt_measured_days" (
	"household_hash" text NOT NULL,
	"day" integer NOT NULL,
	"claim" text NOT NULL,
	CONSTRAINT "kpt_measured_days_household_hash_day_pk" PRIMARY KEY("household_hash","day")
);
--> statement-breakpoint
ALTER TABLE "kpt_measured_days" ADD CONSTRAINT "kpt_measured_days_claim_kpt_claims_id_fk" FOREIGN KEY ("claim") REFERENCES "public"."kpt_claims"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "kpt_claims_campaign" ON "kpt_claims" USING btree ("campaign","sequence");--> statement-breakpoint
CREATE INDEX "kpt_claims_periods" ON "kpt_claims" USING btree ("campaign","group","status","start_day");--> statement-breakpoint
CREATE INDEX "kpt_claims_open" ON "kpt_claims" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "kpt_measured_days_claim" ON "kpt_measured_days" USING btree ("claim");