CREATE TABLE "file_audit_leaves" (
	"day" integer NOT NULL,
	"namespace" text NOT NULL,
	"sequence" bigint NOT NULL,
	"head" "bytea" NOT NULL,
	CONSTRAINT "file_audit_leaves_namespace_day_pk" PRIMARY KEY("namespace","day")
);
--> statement-breakpoint
CREATE TABLE "file_audit_roots" (
	"day" integer PRIMARY KEY NOT NULL,
	"root" "bytea" NOT NULL,
	"namespaces" integer NOT NULL,
	"events" bigint NOT NULL,
	"made_at" timestamp (3) with time zone NOT NULL,
	"transaction_hash" text
);
--> statement-breakpoint
CREATE TABLE "file_events" (
	"namespace" text NOT NULL,
	"sequence" bigint NOT NULL,
	"id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"kind" text NOT NULL,
	"file_id" text,
	"version" integer,
	"actor" text,
	"invoker" text,
	"token_cid" text,
	"run_id" text,
	"tool_call_id" text,
	"cid_hmac" "bytea",
	"format" smallint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "file_events_namespace_sequence_pk" PRIMARY KEY("namespace","sequence"),
	CONSTRAINT "file_events_id" UNIQUE("id")
);
--> statement-breakpoint
ALTER TABLE "file_audit_leaves" ADD CONSTRAINT "file_audit_leaves_day_file_audit_roots_day_fk" FOREIGN KEY ("day") REFERENCES "public"."file_audit_roots"("day") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_events_file" ON "file_events" USING btree ("namespace","file_id","sequence");