CREATE TABLE "file_revocations" (
	"identity" text PRIMARY KEY NOT NULL,
	"cid" text NOT NULL,
	"owner" text NOT NULL,
	"issuer" text NOT NULL,
	"audience" text NOT NULL,
	"revoked_by" text NOT NULL,
	"revoked_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "file_token_nonces" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "file_revocations_owner" ON "file_revocations" USING btree ("owner","revoked_at","identity");--> statement-breakpoint
CREATE INDEX "file_revocations_cid" ON "file_revocations" USING btree ("cid");--> statement-breakpoint
CREATE INDEX "file_token_nonces_expiry" ON "file_token_nonces" USING btree ("expires_at");