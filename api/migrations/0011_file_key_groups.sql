CREATE TABLE "file_key_groups" (
	"id" text PRIMARY KEY NOT NULL,
	"namespace" text NOT NULL,
	"secret_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_retired_secrets" (
	"secret_id" text PRIMARY KEY NOT NULL,
	"retired_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "file_key_groups_namespace" ON "file_key_groups" USING btree ("namespace","id");