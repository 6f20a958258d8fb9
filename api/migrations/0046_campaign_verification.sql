CREATE TABLE "campaign_verification_acts" (
	"campaign" integer NOT NULL,
	"sequence" integer NOT NULL,
	"finding" integer,
	"content" jsonb NOT NULL,
	"role" text NOT NULL,
	"caller" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"previous_hash" text,
	"hash" text NOT NULL,
	CONSTRAINT "campaign_verification_acts_campaign_sequence_pk" PRIMARY KEY("campaign","sequence")
);
--> statement-breakpoint
CREATE FUNCTION refuse_verification_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'acts of a verification are only ever added' USING ERRCODE = 'restrict_violation';
END;
$$;--> statement-breakpoint
CREATE TRIGGER campaign_verification_acts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "campaign_verification_acts"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_verification_change();
