/** Tables of version 2 of the Climate Action Data Trust's data model, in the order in which records refer to each other. */
export const tableNames = [
  "methodology",
  "program",
  "project",
  "location",
  "estimation",
  "co-benefit",
  "project-methodology",
  "validation",
  "verification",
  "issuance",
  "unit",
  "label",
  "unit-label",
  "aef-t5-authorized-entities",
  "aef-t2-authorizations",
  "aef-t1-submission",
  "aef-t3-actions",
  "aef-t4-holdings",
] as const;
export type TableName = (typeof tableNames)[number];
