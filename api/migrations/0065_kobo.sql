CREATE TABLE "kobo_bells" (
	"connection_id" text NOT NULL,
	"root_uuid" text NOT NULL,
	"rings" integer NOT NULL,
	"rings_done" integer NOT NULL,
	"tries" integer NOT NULL,
	"next_try_at" timestamp with time zone NOT NULL,
	"lease_until" timestamp with time zone,
	"last_error" text,
	"instance_id" text,
	"submission_id" text,
	"rung_at" timestamp with time zone NOT NULL,
	CONSTRAINT "kobo_bells_connection_id_root_uuid_pk" PRIMARY KEY("connection_id","root_uuid")
);
--> statement-breakpoint
CREATE TABLE "kobo_connections" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"server_url" text NOT NULL,
	"asset_uid" text NOT NULL,
	"sealed_token" text NOT NULL,
	"sealed_secret" text NOT NULL,
	"hook_uid" text,
	"form" text NOT NULL,
	"mapping" jsonb NOT NULL,
	"collector_did" text NOT NULL,
	"implementer_did" text NOT NULL,
	"campaign_id" text,
	"plan_id" text,
	"supplier_did" text,
	"key_id" text NOT NULL,
	"sealed_key" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "odk_submissions" ADD COLUMN "collector_name" text;--> statement-breakpoint
ALTER TABLE "kobo_bells" ADD CONSTRAINT "kobo_bells_connection_id_kobo_connections_id_fk" FOREIGN KEY ("connection_id") REFERENCES "public"."kobo_connections"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "kobo_bells_due" ON "kobo_bells" USING btree ("next_try_at") WHERE "kobo_bells"."rings_done" < "kobo_bells"."rings";--> statement-breakpoint
CREATE UNIQUE INDEX "kobo_connections_asset" ON "kobo_connections" USING btree ("server_url","asset_uid") WHERE "kobo_connections"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "kobo_connections_created" ON "kobo_connections" USING btree ("created_at","id");