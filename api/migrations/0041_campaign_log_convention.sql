-- Campaigns without a convention were committed before there was one; the default has always been a log per calendar day.
update campaigns set terms = terms || '{"logConvention":"calendar-days"}'::jsonb where not terms ? 'logConvention';
