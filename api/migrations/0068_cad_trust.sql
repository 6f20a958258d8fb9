CREATE TABLE "cad_trust_records" (
	"server" text NOT NULL,
	"key" text NOT NULL,
	"table" text NOT NULL,
	"state" text NOT NULL,
	"remote_id" text,
	"sent" jsonb NOT NULL,
	"problems" text[] NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	"published_at" timestamp with time zone,
	CONSTRAINT "cad_trust_records_server_key_pk" PRIMARY KEY("server","key")
);
--> statement-breakpoint
CREATE TABLE "cad_trust_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"server" text NOT NULL,
	"status" text NOT NULL,
	"started_by" text NOT NULL,
	"message" text,
	"problems" jsonb NOT NULL,
	"created" integer NOT NULL,
	"edited" integer NOT NULL,
	"removed" integer NOT NULL,
	"failures" integer NOT NULL,
	"worker" text,
	"next_try_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "cad_trust_settings" (
	"id" integer PRIMARY KEY NOT NULL,
	"server_url" text NOT NULL,
	"sealed_api_key" text,
	"dry_run" boolean NOT NULL,
	"profile" jsonb NOT NULL,
	"changed_by" text NOT NULL,
	"changed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "cad_trust_records_state" ON "cad_trust_records" USING btree ("server","state","key");--> statement-breakpoint
CREATE UNIQUE INDEX "cad_trust_runs_open" ON "cad_trust_runs" USING btree ("server") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "cad_trust_runs_created" ON "cad_trust_runs" USING btree ("created_at","id");