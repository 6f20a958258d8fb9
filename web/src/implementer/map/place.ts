/** How a household is marked. `open`: to be visited; `waiting`: measured, and stored on this device until it is sent. */
export const states = ["registered", "open", "waiting", "measured"] as const;
export type PlaceState = (typeof states)[number];

/** A household on the map, in degrees. */
export type Place = {
  did: string;
  latitude: number;
  longitude: number;
  state: PlaceState;
  /** The form for its visit. */
  link?: { to: string; search: never };
};
