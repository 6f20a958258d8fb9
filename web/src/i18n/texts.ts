import type reasons from "../../../wire/src/reason-texts/en.json";
import type acts from "./en/acts.json";
import type admin from "./en/admin.json";
import type chat from "./en/chat.json";
import type checks from "./en/checks.json";
import type decisions from "./en/decisions.json";
import type devices from "./en/devices.json";
import type events from "./en/events.json";
import type files from "./en/files.json";
import type home from "./en/home.json";
import type households from "./en/households.json";
import type implementer from "./en/implementer.json";
import type keys from "./en/keys.json";
import type operation from "./en/operation.json";
import type payouts from "./en/payouts.json";
import type people from "./en/people.json";
import type registry from "./en/registry.json";
import type regulator from "./en/regulator.json";
import type relation from "./en/relation.json";
import type supplier from "./en/supplier.json";
import type traced from "./en/traced.json";
import type { en } from "./en.ts";

/** All texts of the console: one JSON file per area and language, in i18next's format. */
export type Texts = typeof en & {
  /** What people do in dialogs that are loaded on use. */
  acts: typeof acts;
  admin: typeof admin;
  chat: typeof chat;
  checks: typeof checks;
  decisions: typeof decisions;
  devices: typeof devices;
  events: typeof events;
  files: typeof files;
  home: typeof home;
  households: typeof households;
  implementer: typeof implementer;
  keys: typeof keys;
  operation: typeof operation;
  payouts: typeof payouts;
  people: typeof people;
  /** Why a record or a claim was refused; phones show the same texts. */
  reasons: typeof reasons;
  /** Settings and plans of what is published to a registry. */
  registry: typeof registry;
  /** Fields of the records that a trace shows. */
  traced: typeof traced;
  regulator: typeof regulator;
  relation: typeof relation;
  supplier: typeof supplier;
};

/** A file of texts that is loaded with the pages that use it. */
export type TextFile = Exclude<keyof Texts, keyof typeof en>;
