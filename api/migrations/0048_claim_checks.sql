CREATE TABLE "scale_calibrations" (
	"plan" integer NOT NULL,
	"serial" text NOT NULL,
	"calibrated_on" text NOT NULL,
	"valid_until" text NOT NULL,
	"certificate" text NOT NULL,
	"sha256" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "scale_calibrations_plan_serial_calibrated_on_pk" PRIMARY KEY("plan","serial","calibrated_on")
);
--> statement-breakpoint
CREATE TABLE "kpt_evidence" (
	"claim" text NOT NULL,
	"item" integer NOT NULL,
	"sha256" text NOT NULL,
	"taken_at" text,
	"latitude" bigint,
	"longitude" bigint,
	"device" text,
	CONSTRAINT "kpt_evidence_claim_item_pk" PRIMARY KEY("claim","item")
);
--> statement-breakpoint
CREATE TABLE "kpt_visits" (
	"claim" text NOT NULL,
	"day" integer NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"collector" text NOT NULL,
	"latitude" bigint,
	"longitude" bigint,
	"fuels" jsonb NOT NULL,
	CONSTRAINT "kpt_visits_claim_day_pk" PRIMARY KEY("claim","day")
);
--> statement-breakpoint
CREATE INDEX "kpt_evidence_sha256" ON "kpt_evidence" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "kpt_visits_collector" ON "kpt_visits" USING btree ("collector","at");