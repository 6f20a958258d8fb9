import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { blankDetails, blankStove, placeOf, sentDetails, unreadableDetails } from "./visit-details.ts";

describe("the details of a visit", () => {
  it("are sent without what was not entered", () => {
    expect(sentDetails(blankDetails)).toEqual({});
  });

  it("count the people who ate, list the stoves, and say where the device was", () => {
    const place = placeOf({ latitude: -15.4166666666, longitude: 28.28, accuracy: 12.345 } as GeolocationCoordinates);
    const details = {
      peopleFed: { ...blankDetails.peopleFed, children: "2", women: " 1 ", guests: "0" },
      stoves: [
        { kind: " Three stones ", serial: "", isUsed: false },
        { kind: "Pellet stove", serial: "DEV-1", isUsed: true },
      ],
      place,
      notes: " Rain all day ",
    };
    expect(stringifyExact(sentDetails(details))).toBe(
      '{"gps":{"latitude":-15.416667,"longitude":28.280000,"accuracy":12.3},"peopleFed":{"children":2,"women":1,"guests":0},' +
        '"stoves":[{"kind":"Three stones","used":false},{"serial":"DEV-1","kind":"Pellet stove","used":true}],' +
        '"notes":"Rain all day"}',
    );
  });

  it("name the fields that cannot be sent", () => {
    const peopleFed = { ...blankDetails.peopleFed, men: "two", elderly: "1000", children: "1001" };
    expect(unreadableDetails({ ...blankDetails, peopleFed, stoves: [blankStove] })).toEqual([
      "peopleFed.children",
      "peopleFed.men",
      "stoves.0.kind",
    ]);
  });
});
