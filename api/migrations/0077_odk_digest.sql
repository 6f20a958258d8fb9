CREATE TABLE "odk_nonces" (
	"collector_id" text NOT NULL,
	"nonce" text NOT NULL,
	"count" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "odk_nonces_collector_id_nonce_pk" PRIMARY KEY("collector_id","nonce")
);
--> statement-breakpoint
ALTER TABLE "odk_collectors" ADD COLUMN "sealed_ha1" text;--> statement-breakpoint
ALTER TABLE "odk_collectors" ADD COLUMN "key_for_password" text;--> statement-breakpoint
CREATE INDEX "odk_nonces_expires" ON "odk_nonces" USING btree ("expires_at");