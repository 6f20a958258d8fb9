CREATE TABLE "issued_credentials" (
	"hash" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"list" integer NOT NULL,
	"entry" integer NOT NULL,
	"issued_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "status_entries" (
	"list" integer NOT NULL,
	"entry" integer NOT NULL,
	"status_of" text NOT NULL,
	"revoked_at" timestamp with time zone,
	"reason" text,
	CONSTRAINT "status_entries_list_entry_pk" PRIMARY KEY("list","entry"),
	CONSTRAINT "status_entries_of" UNIQUE("status_of")
);
--> statement-breakpoint
CREATE TABLE "status_lists" (
	"list" integer PRIMARY KEY NOT NULL,
	"entries" integer NOT NULL,
	"revoked" integer NOT NULL,
	"changed_at" timestamp (0) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "status_entries" ADD CONSTRAINT "status_entries_list_status_lists_list_fk" FOREIGN KEY ("list") REFERENCES "public"."status_lists"("list") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "issued_credentials_entry" ON "issued_credentials" USING btree ("list","entry");