ALTER TABLE "devices" ADD COLUMN "retirement_recorded_in" bigint;--> statement-breakpoint
ALTER TABLE "devices" ADD COLUMN "created_in" bigint;