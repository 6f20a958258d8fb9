CREATE TABLE "household_pins" (
	"household" integer PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"salt" text NOT NULL,
	"tries" integer NOT NULL,
	"locked_until" timestamp with time zone,
	"set_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "household_pin_changes" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "household_pin_changes_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"household" integer NOT NULL,
	"reason" text,
	"role" text NOT NULL,
	"caller" text NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "household_pin_changes_household" ON "household_pin_changes" USING btree ("household");