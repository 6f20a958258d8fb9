CREATE TABLE "card_batches" (
	"batch_id" text PRIMARY KEY NOT NULL,
	"implementer_did" text NOT NULL,
	"language" text NOT NULL,
	"count" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "card_changes" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "card_changes_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"card_id" text NOT NULL,
	"status" text NOT NULL,
	"reason" text,
	"role" text NOT NULL,
	"caller" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "cards" (
	"card_id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"place" integer NOT NULL,
	"status" text NOT NULL,
	"household" integer,
	"replaced_by" text,
	"changed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "card_changes_card" ON "card_changes" USING btree ("card_id");--> statement-breakpoint
CREATE UNIQUE INDEX "cards_place" ON "cards" USING btree ("batch_id","place");--> statement-breakpoint
CREATE UNIQUE INDEX "cards_household" ON "cards" USING btree ("household") WHERE status in ('linked', 'active', 'blocked');--> statement-breakpoint
CREATE INDEX "cards_of_household" ON "cards" USING btree ("household");