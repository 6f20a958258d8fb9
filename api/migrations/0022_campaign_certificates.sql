CREATE TABLE "campaign_certificates" (
	"campaign" integer PRIMARY KEY NOT NULL,
	"certificate_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
