CREATE TABLE "claim_credentials" (
	"credential_hash" text PRIMARY KEY NOT NULL,
	"redemption_id" text NOT NULL,
	"issuer" text NOT NULL,
	"token" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
