CREATE TABLE "sealing_keys" (
	"key_id" text PRIMARY KEY NOT NULL,
	"is_scheme" boolean NOT NULL,
	"first_used_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sealing_processes" (
	"id" text PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"known_key_ids" text[] NOT NULL,
	"seen_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "sealing_keys_scheme" ON "sealing_keys" USING btree ("is_scheme") WHERE "sealing_keys"."is_scheme";