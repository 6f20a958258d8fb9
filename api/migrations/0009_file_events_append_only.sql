CREATE FUNCTION refuse_file_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'events of the file store are only ever added' USING ERRCODE = 'restrict_violation';
END;
$$;--> statement-breakpoint
CREATE TRIGGER file_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "file_events"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_file_event_change();--> statement-breakpoint
CREATE TRIGGER file_audit_leaves_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "file_audit_leaves"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_file_event_change();
