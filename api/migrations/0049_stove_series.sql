CREATE TABLE "kpt_stove_series" (
	"claim" text NOT NULL,
	"item" integer NOT NULL,
	"stove" text,
	"measure" text NOT NULL,
	"readings" integer NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	"events" integer NOT NULL,
	"compared_with" text NOT NULL,
	"days" jsonb NOT NULL,
	CONSTRAINT "kpt_stove_series_claim_item_pk" PRIMARY KEY("claim","item")
);
