CREATE TABLE "audit_entries" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_entries_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"key_id" text NOT NULL,
	"role" text NOT NULL,
	"route" text NOT NULL,
	"summary" text NOT NULL,
	"subject" text NOT NULL,
	"status" integer NOT NULL,
	"request_id" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_entries_key" ON "audit_entries" USING btree ("key_id","number");