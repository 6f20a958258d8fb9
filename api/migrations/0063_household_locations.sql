CREATE TABLE "household_locations" (
	"hash" text PRIMARY KEY NOT NULL,
	"latitude" integer NOT NULL,
	"longitude" integer NOT NULL
);
