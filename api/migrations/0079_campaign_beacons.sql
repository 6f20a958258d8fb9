CREATE TABLE "campaign_beacons" (
	"campaign" integer PRIMARY KEY NOT NULL,
	"round" integer NOT NULL,
	"signature" text NOT NULL,
	"randomness" text NOT NULL
);
