CREATE TABLE "household_pin_tries" (
	"household" integer NOT NULL,
	"caller" text NOT NULL,
	"tries" integer NOT NULL,
	"locked_until" timestamp with time zone,
	"tried_at" timestamp with time zone NOT NULL,
	CONSTRAINT "household_pin_tries_household_caller_pk" PRIMARY KEY("household","caller")
);
--> statement-breakpoint
ALTER TABLE "household_pins" DROP COLUMN "tries";