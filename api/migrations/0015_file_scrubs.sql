CREATE TABLE "file_scrubs" (
	"id" smallint PRIMARY KEY NOT NULL,
	"position" text NOT NULL,
	"files" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"damaged" integer NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
