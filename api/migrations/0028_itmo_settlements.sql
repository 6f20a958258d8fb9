ALTER TABLE "itmo_settlements" ALTER COLUMN "conversion" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "itmo_settlements" ADD COLUMN "subject_id" text NOT NULL;--> statement-breakpoint
ALTER TABLE "itmo_settlements" ADD COLUMN "last_id" text;--> statement-breakpoint
ALTER TABLE "itmo_settlements" ADD COLUMN "party_did" text NOT NULL;--> statement-breakpoint
CREATE INDEX "itmo_settlements_subject" ON "itmo_settlements" USING btree ("subject_id","settlement_id");--> statement-breakpoint
CREATE INDEX "itmo_settlements_party" ON "itmo_settlements" USING btree ("party_did","settlement_id");