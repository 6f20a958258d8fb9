CREATE TABLE "devices" (
	"serial" text PRIMARY KEY NOT NULL,
	"model" text NOT NULL,
	"plan" integer NOT NULL,
	"household" integer NOT NULL,
	"installed_on" text NOT NULL,
	"retired_on" text,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "devices_plan_household" ON "devices" USING btree ("plan","household");