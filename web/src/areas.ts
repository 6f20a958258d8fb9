/** The areas of the console, in the order of the navigation. */
export const areas = ["regulator", "supplier", "implementer", "files", "chat", "admin"] as const;
export type Area = (typeof areas)[number];
