CREATE TABLE "odk_attachments" (
	"submission_id" text NOT NULL,
	"name" text NOT NULL,
	"cid" text NOT NULL,
	"sha256" text NOT NULL,
	"size" bigint NOT NULL,
	"mime_type" text NOT NULL,
	CONSTRAINT "odk_attachments_submission_id_name_pk" PRIMARY KEY("submission_id","name")
);
--> statement-breakpoint
CREATE TABLE "odk_collectors" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"sealed_key" text NOT NULL,
	"key_id" text NOT NULL,
	"name" text NOT NULL,
	"collector_did" text NOT NULL,
	"implementer_did" text NOT NULL,
	"forms" jsonb NOT NULL,
	"campaign_id" text,
	"plan_id" text,
	"supplier_did" text,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "odk_forms" (
	"implementer_did" text NOT NULL,
	"form_id" text NOT NULL,
	"version" text NOT NULL,
	"kind" text NOT NULL,
	"questions" jsonb NOT NULL,
	"first_offered_at" timestamp with time zone NOT NULL,
	CONSTRAINT "odk_forms_implementer_did_form_id_version_pk" PRIMARY KEY("implementer_did","form_id","version")
);
--> statement-breakpoint
CREATE TABLE "odk_submissions" (
	"id" text PRIMARY KEY NOT NULL,
	"implementer_did" text NOT NULL,
	"form_id" text NOT NULL,
	"version" text NOT NULL,
	"kind" text NOT NULL,
	"instance_id" text NOT NULL,
	"deprecated_id" text,
	"collector_id" text NOT NULL,
	"campaign_id" text,
	"sha256" text NOT NULL,
	"status" text NOT NULL,
	"household_did" text,
	"day" integer,
	"result_id" text,
	"details" jsonb NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "odk_attachments" ADD CONSTRAINT "odk_attachments_submission_id_odk_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."odk_submissions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "odk_collectors_created" ON "odk_collectors" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "odk_submissions_instance" ON "odk_submissions" USING btree ("implementer_did","form_id","instance_id");--> statement-breakpoint
CREATE INDEX "odk_submissions_received" ON "odk_submissions" USING btree ("implementer_did","received_at","id");--> statement-breakpoint
CREATE INDEX "odk_submissions_visits" ON "odk_submissions" USING btree ("campaign_id","household_did");--> statement-breakpoint
CREATE INDEX "odk_submissions_open" ON "odk_submissions" USING btree ("collector_id","status");