CREATE TABLE "oracle_access" (
	"user_did" text PRIMARY KEY NOT NULL,
	"actor" jsonb NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
