import { defineRules } from "../../api/platform/errors.ts";

/** What prevents a record from being published, or the settings from being stored, in sentences that the console translates. */
export const problem = defineRules({
  "registry-field-missing": ["field-given", "{name} is required."],
  "registry-field-long": ["field-length", "{name} has {length} characters; the server takes {most}."],
  "registry-value-unknown": [
    "value-in-picklist",
    'The server\'s list of {name} has no "{value}". The nearest is "{nearest}". Name its value in profile.values: {example}.',
  ],
  "registry-list-empty": [
    "value-in-picklist",
    'The server\'s list of {name} has no "{value}". It is empty. Name its value in profile.values: {example}.',
  ],
  "registry-body-unnamed": [
    "verification-body-named",
    "Name the verification body of {verifier}, which verified {certificateId}.",
  ],
  "registry-parent-missing": ["parent-published", "{parent} cannot be published."],
  "registry-differs": ["read-back-equal", "{difference}"],
  "registry-refused": ["accepted-by-server", "{answer}"],
  "registry-dry-run": [
    "not-dry-run",
    "The settings say dryRun: nothing is sent. GET /v1/cad-trust/plan shows what would be.",
  ],
  "registry-settings-changed": [
    "settings-unchanged",
    "The settings were changed after they were read. Read them again, then change them.",
  ],
  "registry-method-unknown": ["methodology-given", "No methodology has the code {code}."],
  "registry-given-twice": ["given-once", "{id} is given twice."],
  "registry-dates-reversed": ["dates-ordered", "The last day must be after the first."],
  "registry-url-user": ["url-without-user", "The server's address must not have a user name or a password."],
  "registry-url-query": ["url-without-query", 'The server\'s address must not have a query: the part from "?" on.'],
  "registry-url-fragment": [
    "url-without-fragment",
    'The server\'s address must not have a fragment: the part from "#" on.',
  ],
});
